import { EventStoreDBClient } from '@eventstore/db-client';
import type { Duplex } from 'node:stream';
import { withTimeoutOrNull } from '../common/with-timeout.ts';
import type { Logger } from './logger.ts';

/**
 * A client used for appends only. The client keeps the pending appends of a whole process in one table, and an error of
 * any client's stream rejects them all: so there is one of these at a time, and reads have a client of their own.
 */
export type WriteClient = {
  readonly esdb: EventStoreDBClient;
  /** Answers so far: whether the shared stream is alive. */
  replies: number;
};

export type WriteClients = {
  /** The client to append with; waits until its predecessor has let go. */
  current(): WriteClient | Promise<WriteClient>;
  /**
   * Puts a fresh client in place of a broken one. Its stream is cancelled before this returns: a late answer to an
   * append that is no longer in the table would throw inside the client.
   */
  replace(broken: WriteClient, why: string): void;
  /** Another node is to be written to: what is under way ends with an unknown outcome, and is tried there. */
  moved(why: string): void;
  close(): Promise<void>;
};

/** @param urlNow where to connect to; null: always there where `url` says */
export const makeWriteClients = (
  url: string,
  urlNow: (() => Promise<string>) | null,
  closeMs: number,
  logger: Logger,
): WriteClients => {
  const open = (at: string): WriteClient => ({ esdb: EventStoreDBClient.connectionString(at), replies: 0 });
  let client = urlNow === null ? open(url) : null;
  let takingDown: Promise<void> | undefined;
  const next = async (): Promise<WriteClient> => {
    const at = (await urlNow?.()) ?? url;
    while (takingDown) await takingDown;
    return (client ??= open(at));
  };
  const replace = (broken: WriteClient, why: string): void => {
    if (broken !== client) return;
    logger.warn({ why }, 'event store: the append stream is replaced');
    client = urlNow === null ? open(url) : null;
    const gone = Promise.all([dispose(broken.esdb, closeMs), takingDown]).then(() => {
      if (takingDown === gone) takingDown = undefined;
    });
    takingDown = gone;
  };
  return {
    current: () => (client && !takingDown ? client : next()),
    replace,
    moved: (why) => {
      if (client) replace(client, why);
    },
    close: async () => {
      if (client) await dispose(client.esdb, closeMs);
    },
  };
};

/** Cancels what is open, at once, and waits for it, within bounds. */
export const dispose = async (esdb: EventStoreDBClient, closeMs: number): Promise<void> => {
  await withTimeoutOrNull(closeMs, esdb.dispose());
};

/** What the client keeps from its users, and we cannot do without. */
type Insides = { readonly capabilities: Promise<unknown>; readonly disposableStreams: ReadonlySet<unknown> };

/**
 * Resolves when the server has said what it can do. The client asks before its first append, without a deadline;
 * asking first tells "nothing was sent" from "nobody knows". @throws the raw gRPC error
 */
export const serverFeatures = async (esdb: EventStoreDBClient): Promise<void> => {
  await (esdb as unknown as Insides).capabilities;
};

const guarded = new WeakSet<Duplex>();

/**
 * The client throws at an answer to an append that is no longer in its table, which another client's stream may have emptied: that would
 * end the process. Whoever appended has been told that the outcome is unknown, and appends again.
 */
export const bearLateAnswers = ({ esdb }: WriteClient): void => {
  const stream = appendStream(esdb);
  if (!stream || guarded.has(stream)) return;
  guarded.add(stream);
  for (const listener of stream.listeners('data')) {
    stream.on('data', (answer) => {
      try {
        listener.call(stream, answer);
      } catch (error) {
        // The entry that it takes apart is not there: nobody waits for it any more.
        if (!(error instanceof TypeError)) throw error;
      }
    });
    stream.removeListener('data', listener as (answer: unknown) => void);
  }
};

/** The stream that the client's appends share, once there is one. */
export const appendStream = (esdb: EventStoreDBClient): Duplex | undefined => {
  const [stream] = (esdb as unknown as Insides).disposableStreams;
  return stream as Duplex | undefined;
};
