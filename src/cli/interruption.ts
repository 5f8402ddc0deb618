/** Ctrl-C under npm comes twice: from the terminal, and passed on by npm. */
const sameMs = 500;
/** What does not listen, or hangs on a server that is away, is ended nevertheless. */
const patienceMs = 20_000;

/**
 * The first SIGINT or SIGTERM asks the command to come to its end, by the signal that is answered; a second one ends the
 * process at once, with 130.
 */
export const listenForInterruption = (
  process: Pick<NodeJS.Process, 'on'> & { exit(code: number): unknown },
): AbortSignal => {
  const asked = new AbortController();
  let askedAt: number | undefined;
  const interrupted = () => {
    const now = performance.now();
    if (askedAt !== undefined && now - askedAt > sameMs) process.exit(130);
    if (askedAt !== undefined) return;
    askedAt = now;
    asked.abort();
    setTimeout(() => process.exit(130), patienceMs).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted);
  return asked.signal;
};
