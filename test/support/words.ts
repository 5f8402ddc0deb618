/** The arguments of a command line; "…" keeps blanks together. */
export const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([all, quoted]) => quoted ?? all);
