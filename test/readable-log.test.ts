import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { LogStream } from '../src/process/log-stream.ts';
import { makeReadable } from '../src/process/readable-log.ts';

const collecting = (): LogStream & { readonly written: string[] } => {
  const written: string[] = [];
  return {
    written,
    write: (line) => void written.push(line),
    lost: () => 7,
    flush: () => Promise.resolve(),
    flushSync: () => undefined,
  };
};

test('AM-16: on a terminal, a line of the log is readable: time of day, level, message, fields', () => {
  const stream = collecting();
  const readable = makeReadable(stream, false);
  pino({}, readable).warn({ lines: 3 }, 'log lines were lost');
  expect(stream.written.join('')).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: log lines were lost {"lines":3}\n$/,
  );
  expect(readable.lost()).toBe(7);
});
