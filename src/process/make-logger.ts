import { pino, stdSerializers, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { makeLineGatherer } from './gather-lines.ts';

export type ProcessLogger = { readonly logger: Logger; readonly flush: () => void };

export const makeLogger = (options: LoggerOptions, destination: DestinationStream): ProcessLogger => {
  const gatherer = makeLineGatherer();
  const logger = pino({ ...options, serializers, hooks: gatherer.hooks }, destination);
  return { logger, flush: () => gatherer.flush(logger) };
};

/** Type, message, stack and plain fields: libraries attach connections with keys and buffers to errors. */
export const serializers = { err: (error: Error): unknown => withoutInstances(stdSerializers.err(error)) };

const deepest = 4;

const withoutInstances = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return undefined;
  if (Array.isArray(value)) return value.map((each) => withoutInstances(each, depth + 1));
  if (!prototypes.has(Object.getPrototypeOf(value))) return undefined;
  const fields = Object.entries(value).map(([name, field]) => [name, withoutInstances(field, depth + 1)]);
  return Object.fromEntries(fields);
};

/** Of plain objects, and of errors that pino has described. */
const prototypes: ReadonlySet<unknown> = new Set([
  Object.prototype,
  null,
  Object.getPrototypeOf(stdSerializers.err(new Error())),
]);
