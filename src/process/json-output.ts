import { format } from 'node:util';
import { environment } from '../config/environment.ts';

/** What the process says outside its log: on standard output, or on standard error when it fails. */
export type Outputs = {
  readonly say: (text: string) => void;
  /** @param error what caused it, where no sentence explains it */
  readonly fail: (sentence: string, error?: unknown) => void;
};

const levels = { debug: 20, info: 30, log: 30, warn: 40, error: 50, fatal: 60 };

/** A line as the log has them. */
const lineOf = (level: keyof typeof levels, msg: string, error?: unknown): string => {
  const err = error instanceof Error && { type: error.name, message: error.message, stack: error.stack };
  const fields = { level: levels[level], time: Date.now(), pid: process.pid, ...(err && { err }), msg };
  return `${JSON.stringify(fields)}\n`;
};

const forPersons: Outputs = {
  say: (text) => void process.stdout.write(`${text}\n`),
  fail: (sentence, error) => void process.stderr.write(`${format(error ?? `grantbook: ${sentence}`)}\n`),
};

const forCollectors: Outputs = {
  say: (text) =>
    void process.stdout.write(text.replaceAll(/.+\n?/g, (line) => lineOf('info', line.trimEnd()))),
  fail: (sentence, error) => void process.stderr.write(lineOf('fatal', sentence, error)),
};

/** What libraries print, and what Node.js warns of because of them, becomes lines of JSON, too. */
const printOnlyLines = (): void => {
  process.removeAllListeners('warning'); // Node.js prints there
  process.on('warning', (warning) => process.stderr.write(lineOf('warn', warning.message, warning)));
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const)
    console[level] = (...printed: unknown[]) => void process.stderr.write(lineOf(level, format(...printed)));
};

const isForCollectors = environment()['NODE_ENV'] === 'production';

/** In production every line of both outputs is one JSON object. To be imported first, as libraries may warn at once. */
export const outputs: Outputs = isForCollectors ? forCollectors : forPersons;
if (isForCollectors) printOnlyLines();
