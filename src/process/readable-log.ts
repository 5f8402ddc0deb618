import { prettyFactory } from 'pino-pretty';
import type { LogStream } from './log-stream.ts';

/**
 * The same stream, with each line of JSON written as a person reads it (AM-16): time of day, level, message, and the
 * other fields.
 * @param colorize whether the terminal shows colours
 */
export const makeReadable = (stream: LogStream, colorize: boolean): LogStream => {
  const readable = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  return { ...stream, write: (line) => stream.write(readable(line) ?? line) };
};
