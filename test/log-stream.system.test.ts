import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeLogStream } from '../src/process/log-stream.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const open = (path: string, flags: number): number => {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
};

/** Both ends of a pipe, neither of which blocks; the reader's is for the test to close. */
const makePipe = (): readonly [reader: number, writer: number] => {
  const path = join(temporaryFolder(onTestFinished), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return [reader, open(path, constants.O_WRONLY | constants.O_NONBLOCK)];
};

const readWhatIsThere = (fd: number): string => {
  const bytes = Buffer.alloc(1_048_576);
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } catch {
    return ''; // EAGAIN: nothing yet
  }
};

test.skipIf(process.platform !== 'linux')(
  'OP-04: a full device costs each line, and is counted',
  async () => {
    const told: number[] = [];
    const stream = makeLogStream(open('/dev/full', constants.O_WRONLY), (lost) => told.push(lost));
    for (let line = 0; line < 1_000; line++) stream.write(`{"line":${line}}\n`);
    await stream.flush();
    expect(stream.lost()).toBe(1_000);
    stream.flushSync();
    expect(told, 'nothing could be written again').toEqual([]);
  },
);

test('OP-04: a reader that stops costs what does not fit into a MiB; when it reads again, the rest comes, line by line', async () => {
  const [reader, writer] = makePipe();
  const told: number[] = [];
  const stream = makeLogStream(writer, (lost) => told.push(lost));
  const line = `{"message":"${'x'.repeat(1_000)}"}\n`;
  for (let count = 0; count < 2_000; count++) stream.write(line);
  const { length } = line;
  expect(stream.lost()).toBeGreaterThan(2_000 - (1_048_576 + 2 * 65_536) / length);
  expect(stream.lost()).toBeLessThan(2_000);

  let seen = '';
  const kept = 2_000 - stream.lost();
  await expect.poll(() => (seen += readWhatIsThere(reader)).length, { interval: 5 }).toBe(kept * length);
  expect(new Set(seen.split('\n'))).toEqual(new Set([line.trimEnd(), '']));
  expect(told).toEqual([stream.lost()]);
  closeSync(reader);
});

test('OP-04: a pipe that nobody reads any more costs each line', async () => {
  const [reader, writer] = makePipe();
  const stream = makeLogStream(writer, () => undefined);
  stream.write('{"line":1}\n');
  await stream.flush();
  expect(readWhatIsThere(reader)).toBe('{"line":1}\n');
  closeSync(reader);
  stream.write('{"line":2}\n');
  await stream.flush();
  expect(stream.lost()).toBe(1);
});
