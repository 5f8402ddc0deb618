import { inspect } from 'node:util';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pino, type Logger } from 'pino';
import { serializers } from '../../../src/process/make-logger.ts';

/** A log line of the service, as its level, its fields, and its message. */
type NoteLine = (level: string, fields: object, message: string) => void;

let note: ((trouble: string) => void) | null = null;

/** Receives from now on what is wrong, for what is started from now on: for a file of tests. Else nobody looks. */
export const watchTrouble = (noted: (trouble: string) => void): void => void (note = noted);

/** For each logger of a test: its lines belong to the file that made the logger. */
export const watchLines = (): NoteLine => {
  const noted = note;
  return (level, fields, message) => {
    if (isTrouble(level, fields)) noted?.(`${level}: ${message} ${onOneLine(fields)}`);
  };
};

/** Errors are described by their stacks, without the frames of libraries. */
const onOneLine = (fields: object): string => {
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    hasStack(value) ? ownFrames(value) : value,
  ]);
  return inspect(Object.fromEntries(shown), { breakLength: Infinity }).replaceAll(/\s*\n\s*/g, ' ');
};

const ownFrames = ({ stack }: { readonly stack: string }): string =>
  stack.replaceAll(/\n +at .*(node:|node_modules).*/g, '').replaceAll(/\s*\n\s*/g, ' ');

const hasStack = (value: unknown): value is { readonly stack: string } =>
  typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';

/**
 * An alarm, which every error is, or what comes with a stack trace; but neither the first tries of what becomes an alarm
 * later, nor a warning of a timeout or silence: these say how busy the machine is.
 */
const isTrouble = (level: string, fields: object): boolean => {
  const alarm = 'alarm' in fields ? fields.alarm : null;
  if (level === 'error' || level === 'fatal' || alarm === true) return true;
  const stacks = Object.values(fields).filter(hasStack);
  return (
    alarm !== false && stacks.some(({ stack }) => !/^.*(time-?out|timed out|silent for \d+ ms)/.test(stack))
  );
};

/** For the service in this process: a logger that prints nothing. @param to receives each line, from this level on */
export const watchedLogger = (to: (line: string) => unknown = () => undefined, level = 'warn'): Logger => {
  const noteLine = watchJson(watchLines());
  return pino({ level, serializers }, { write: (line) => (noteLine(line), to(line)) });
};

/** For a process of the service: its output of both kinds is read to the end. */
export const watchOutput = (...outputs: readonly (Readable | null)[]): void => {
  const [noteLine, noted] = [watchJson(watchLines()), note];
  for (const input of outputs) {
    if (!input) continue;
    let before = '';
    createInterface({ input }).on('line', (line) => {
      if (noteLine(line)) return;
      if (/^\s+at .*:\d+/.test(line) && before !== '') noted?.(`printed: ${before} ${line}`);
      before = /^\s+at /.test(line) ? '' : line; // a stack trace is one trouble
    });
  }
};

/** @returns whether it is a log line: one that was cut is none */
const watchJson = (noteLine: NoteLine) => (line: string) => {
  const printed = logLine(line);
  if (!printed) return false;
  const { level, time: _time, pid: _pid, hostname: _hostname, msg, ...fields } = printed;
  noteLine(pino.levels.labels[level] ?? String(level), fields, msg);
  return true;
};

type Printed = { readonly level: number; readonly msg: string } & Readonly<Record<string, unknown>>;

const logLine = (line: string): Printed | null => {
  if (!line.startsWith('{"level":')) return null;
  try {
    return JSON.parse(line) as Printed;
  } catch {
    return null;
  }
};
