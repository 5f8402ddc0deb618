import type { CliIo } from './base/cli-io.ts';

type ProcessIo = Pick<CliIo, 'env' | 'stdin' | 'stdout' | 'stderr' | 'signal'>;

/** Runs the command line of this process, and ends it with the exit code of `run`. @param env the environment, read when this is called */
export const runInProcess = async (
  env: ProcessIo['env'],
  run: (args: readonly string[], io: ProcessIo) => Promise<number>,
): Promise<void> => {
  const { stdin, stdout, stderr } = process;
  const signal = listenForInterruption(process);

  let isUnwritten = false;
  // A reader that closes the pipe early (`grantbook addon list | head -1`) is no error. A full disk is one, but ends no command halfway.
  stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isUnwritten) return;
    isUnwritten = true;
    process.exitCode = 1;
    stderr.write(
      `The answer could not be written to standard output (${code}); what the command did stays done.\n`,
    );
  });
  // Nobody reads the progress any more (`2>&1 | head -1`): the command continues.
  stderr.on('error', () => undefined);

  const exitCode = await run(process.argv.slice(2), { env, stdin, stdout, stderr, signal });
  process.exitCode = isUnwritten ? 1 : exitCode;
  // Nothing that a command leaves open, such as a standard input that is still being written, keeps it alive.
  stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref());
};

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
