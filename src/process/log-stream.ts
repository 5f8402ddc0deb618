import { write, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type LogStream = {
  /** Never blocks and never throws. @param line with its line break */
  write(line: string): void;
  /** The number of lines that could not be written since the start. */
  lost(): number;
  /** Resolves once everything is written or lost, after a second at most. */
  flush(): Promise<void>;
  /** Tries once to write the rest, at the very end of the process. */
  flushSync(): void;
};

/** In bytes: the buffer for a slow reader; lines beyond it are dropped. */
const mostWaiting = 1_048_576;
const mostAtOnce = 65_536;
/** In milliseconds: how long to wait before writing to a full pipe again. */
const retryAfter = 50;
const flushPatience = 1_000;
const lineBreak = 10;

/** The batch being written: `offset` bytes are written; the first `start` bytes only end a line that was cut before. */
type Batch = { readonly bytes: Buffer; readonly start: number; offset: number; isInKernel: boolean };

/**
 * Writes lines in batches without blocking; what cannot be written is dropped and counted (OP-04), where sonic-boom ends the process.
 * @param fd non-blocking if a pipe or socket @param regained called with the lines lost so far, when a write succeeds again
 */
export const makeLogStream = (fd: number, regained: (lost: number) => void): LogStream => {
  const waiting: string[] = [];
  let waitingBytes = 0;
  let batch: Batch | null = null;
  let isCut = false;
  let lost = 0;
  let told = 0;

  const next = (): void => {
    if (batch || waiting.length === 0) return;
    batch = takeBatch();
    attempt(batch);
  };
  const takeBatch = (): Batch => {
    const taken: string[] = isCut ? ['\n'] : [];
    for (let size = 0; waiting.length > 0 && size < mostAtOnce; size += taken.at(-1)?.length ?? 0)
      taken.push(waiting.shift() ?? '');
    const bytes = Buffer.from(taken.join(''));
    const start = isCut ? 1 : 0;
    waitingBytes -= bytes.length - start;
    return { bytes, start, offset: 0, isInKernel: false };
  };
  const attempt = (of: Batch): void => {
    of.isInKernel = true;
    write(fd, of.bytes, of.offset, of.bytes.length - of.offset, null, (error, written) => {
      of.isInKernel = false;
      if (error?.code === 'EAGAIN') return void setTimeout(attempt, retryAfter, of).unref();
      if (!error) of.offset += written;
      if (!error && of.offset < of.bytes.length) return attempt(of);
      finish(of);
    });
  };
  const finish = (of: Batch): void => {
    lost += linesFrom(of);
    isCut = of.offset === 0 ? isCut : of.bytes[of.offset - 1] !== lineBreak;
    batch = null;
    if (of.offset === of.bytes.length && lost > told) regained((told = lost));
    next();
  };
  return {
    lost: () => lost,
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (waitingBytes + bytes > mostWaiting) return void lost++;
      waiting.push(line);
      waitingBytes += bytes;
      next();
    },
    async flush() {
      const deadline = performance.now() + flushPatience;
      while (batch && performance.now() < deadline) await pause(5);
    },
    flushSync() {
      const rest = batch && !batch.isInKernel ? [batch.bytes.subarray(batch.offset)] : [];
      try {
        writeSync(fd, Buffer.concat([...rest, Buffer.from(waiting.splice(0).join(''))]));
      } catch {
        // the process ends, so nobody can be informed
      }
    },
  };
};

/** The number of lines that are not completely written. */
const linesFrom = ({ bytes, start, offset }: Batch): number =>
  bytes.subarray(Math.max(start, offset)).reduce((sum, byte) => sum + (byte === lineBreak ? 1 : 0), 0);

/** Standard error as a stream of lines. Errors of other writers on either output must not end the process. */
export const openLogStream = (regained: (lost: number) => void): LogStream => {
  // Node.js opens both on first access, pipes and sockets as non-blocking.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const stream = makeLogStream(2, regained);
  process.once('exit', () => stream.flushSync());
  return stream;
};
