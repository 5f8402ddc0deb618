import { AsyncLocalStorage } from 'node:async_hooks';
import crypto, { webcrypto } from 'node:crypto';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import pg from 'pg';
import { categoryOf } from '../../../src/domain/kernel/stream-name.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';

/** What one operation does, in counts that do not depend on the machine. */
export type Counts = {
  /** Calls of the port to the event store, such as `append`. */
  readonly calls: string[];
  /** gRPC messages that were sent for it, and that its own calls received. */
  messages: number;
  /** Statements to PostgreSQL. */
  readonly statements: string[];
  hmacs: number;
  hashes: number;
  /** Calls that draw random bytes. */
  draws: number;
  signatures: number;
  /** Events of the log that were decoded. */
  decodings: number;
};

const operations = new AsyncLocalStorage<Counts | null>();

/** Of the operation that runs, if it is counted. */
export const counted = (): Counts | null => operations.getStore() ?? null;

/** Counts what is done for `work`, also what is done after it, in the background. */
export const counting = async <T>(
  work: () => Promise<T>,
): Promise<{ readonly counts: Counts; readonly answer: T }> => {
  const counts: Counts = {
    calls: [],
    messages: 0,
    statements: [],
    hmacs: 0,
    hashes: 0,
    draws: 0,
    signatures: 0,
    decodings: 0,
  };
  // An injected request begins when it is awaited.
  return { counts, answer: await operations.run(counts, async () => await work()) };
};

/** The port to the event store, whose calls are counted. */
export const countedStore = <Store extends EventStore>(store: Store): Store => {
  const tell = (what: string, stream: string) => void counted()?.calls.push(`${what} ${categoryOf(stream)}`);
  return {
    ...store,
    append: (stream, ...more) => (tell('append', stream), store.append(stream, ...more)),
    read: (stream) => (tell('read', stream), store.read(stream)),
    readEnd: (stream, ...more) => (tell('read part', stream), store.readEnd(stream, ...more)),
    readBack: (stream, ...more) => (tell('read end', stream), store.readBack(stream, ...more)),
  };
};

/** Every statement of the process, with its connection. */
export type Asked = (client: pg.Client, text: string) => void;

type Undo = () => void;
type Functions = Record<string, (...args: unknown[]) => unknown>;

/**
 * Wraps what is counted, in all modules of this process, loaded or not. @returns a function that puts everything back
 * @param asked called with each statement
 */
export const countEverything = (asked: Asked): Undo => {
  const undos = [countCrypto(), countStatements(asked), countMessages()];
  return () => undos.forEach((undo) => undo());
};

const replaced = (
  of: object,
  name: string,
  around: (original: (...args: unknown[]) => unknown) => unknown,
): Undo => {
  const holder = of as Functions;
  const original = holder[name];
  if (!original) throw new Error(`nothing to count: ${name}`);
  holder[name] = around(original) as (...args: unknown[]) => unknown;
  return () => void (holder[name] = original);
};

const cryptoCounted = {
  hmacs: ['createHmac'],
  hashes: ['createHash', 'hash'],
  draws: ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'],
  signatures: ['sign', 'createSign'],
} as const;

/** Named imports see it, too: `syncBuiltinESMExports`. */
const countCrypto = (): Undo => {
  const counter = (what: keyof typeof cryptoCounted) => (original: (...args: unknown[]) => unknown) =>
    function (this: unknown, ...args: unknown[]) {
      const counts = counted();
      if (counts) counts[what] += 1;
      return Reflect.apply(original, this, args);
    };
  const undos = Object.entries(cryptoCounted).flatMap(([what, names]) =>
    names.map((name) => replaced(crypto, name, counter(what as keyof typeof cryptoCounted))),
  );
  undos.push(replaced(webcrypto, 'getRandomValues', counter('draws')));
  undos.push(replaced(webcrypto.subtle, 'sign', counter('signatures')));
  syncBuiltinESMExports();
  return () => {
    undos.forEach((undo) => undo());
    syncBuiltinESMExports();
  };
};

/** Done once in ten seconds by whoever comes then. */
const nowAndThen = 'discard plans';

const countStatements = (asked: Asked): Undo =>
  replaced(
    pg.Client.prototype,
    'query',
    (original) =>
      function (this: pg.Client, ...args: unknown[]) {
        const text = textOf(args[0]);
        if (text !== nowAndThen) {
          counted()?.statements.push(text);
          asked(this, text);
        }
        return Reflect.apply(original, this, args);
      },
  );

const textOf = (query: unknown): string =>
  typeof query === 'string'
    ? query
    : ((query as { name?: string }).name ?? String((query as { text?: unknown }).text));

type Listener = { onReceiveMessage?(message: unknown): void };
type Call = {
  start(metadata: unknown, listener?: Listener): void;
  sendMessageWithContext(context: unknown, message: unknown): void;
};

/** In the gRPC library, so that it does not matter how the client is used. */
const countMessages = (): Undo =>
  replaced(
    createRequire(import.meta.url)('@grpc/grpc-js/build/src/client-interceptors.js') as object,
    'getInterceptingCall',
    (original) =>
      (...args: unknown[]) => {
        const call = original(...args) as Call;
        const starter = counted();
        const start = call.start.bind(call);
        const send = call.sendMessageWithContext.bind(call);
        call.start = (metadata, listener = {}) =>
          start(metadata, {
            ...listener,
            onReceiveMessage(message) {
              if (starter) starter.messages += 1;
              listener.onReceiveMessage?.(message);
            },
          });
        call.sendMessageWithContext = (context, message) => {
          const counts = counted();
          if (counts) counts.messages += 1;
          send(context, message);
        };
        return call;
      },
  );
