/** In milliseconds. Under npm, one Ctrl-C sends two signals: from the terminal, and forwarded by npm. */
const sameMs = 500;
/** In milliseconds. Then a command that ignores the signal, or waits for an unavailable server, is ended by force. */
const patienceMs = 20_000;

/** The first SIGINT or SIGTERM aborts the returned signal; a second one ends the process at once, with exit code 130. */
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
