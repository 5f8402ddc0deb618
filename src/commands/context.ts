/** The context of a call. The metadata of every event that the command appends has these fields. */
export type CommandContext = {
  /** Trace and span: the header `traceparent` of W3C Trace Context, version 00. */
  readonly traceparent: string;
};
