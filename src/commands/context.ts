/** Around what a command is called. Every event that it appends has these fields among its metadata. */
export type CommandContext = {
  /** Where in which trace: the header `traceparent` of W3C Trace Context, version 00. */
  readonly traceparent: string;
};
