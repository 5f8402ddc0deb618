import { prettyFactory } from 'pino-pretty';
import type { LogStream } from './log-stream.ts';

/** The stream with each line as a person reads it (AM-16): time, level, message, fields. */
export const makeReadable = (stream: LogStream, colorize: boolean): LogStream => {
  const readable = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  return { ...stream, write: (line) => stream.write(readable(line) ?? line) };
};
