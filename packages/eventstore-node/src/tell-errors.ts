/** In milliseconds: the same error is not written more often. */
const everyMs = 5_000;
/** Different errors that are remembered. */
const most = 100;

/** Writes errors as lines, the same one at most every five seconds: a full disk fails every append. */
export const makeTellErrors = (write: (line: string) => unknown): ((error: unknown) => void) => {
  const saidAt = new Map<string, number>();
  return (error) => {
    const { cause } = (error ?? {}) as { readonly cause?: unknown };
    const line = `embedded node: ${String(error)}${cause instanceof Error ? ` (${cause.message})` : ''}\n`;
    const now = performance.now();
    if (now - (saidAt.get(line) ?? -Infinity) < everyMs) return;
    if (saidAt.size >= most) saidAt.clear();
    saidAt.set(line, now);
    write(line);
  };
};
