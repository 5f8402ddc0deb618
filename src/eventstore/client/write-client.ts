import type { EventStoreDBClient } from '@eventstore/db-client';
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { raceAbort } from '../../common/linked-abort.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Logger } from '../logger.ts';
import { openClient } from './open-client.ts';

/**
 * A client only for appends. The client library keeps the pending appends of a whole process in one table, and an error
 * of any client's stream rejects all of them: so there is only one such client at a time, and reads have their own.
 */
export type WriteClient = {
  readonly esdb: EventStoreDBClient;
  /** Number of answers so far: shows whether the shared stream is alive. */
  replies: number;
  /** Whether the server has reported its features once. */
  isConnected: boolean;
  /** Aborted when it is replaced. */
  readonly retiring: AbortController;
};

export type WriteClients = {
  /** The client for appends; waits until its predecessor is closed. */
  current(): WriteClient | Promise<WriteClient>;
  /**
   * Replaces a broken client. Its stream is cancelled before this returns: a late answer to an append that is no longer
   * in the table would throw inside the client.
   */
  replace(broken: WriteClient, why: string): void;
  /** The leader has changed: pending appends end with an unknown outcome, and are retried there. */
  moved(why: string): void;
  close(): Promise<void>;
};

/** @param urlNow the URL to connect to; null: always the address of `url` */
export const makeWriteClients = (
  url: string,
  urlNow: (() => Promise<string>) | null,
  closeMs: number,
  logger: Logger,
): WriteClients => {
  const open = (at: string): WriteClient => {
    const retiring = new AbortController();
    setMaxListeners(0, retiring.signal); // one for each append that waits for the connection
    return { esdb: openClient(at), replies: 0, isConnected: false, retiring };
  };
  let client = urlNow === null ? open(url) : null;
  let takingDown: Promise<void> | undefined;
  let moves = 0;
  const next = async (): Promise<WriteClient> => {
    for (;;) {
      while (takingDown) await takingDown;
      const before = moves;
      const at = (await urlNow?.()) ?? url;
      if (before === moves && !takingDown) return (client ??= open(at));
    }
  };
  const replace = (broken: WriteClient, why: string): void => {
    if (broken !== client) return;
    logger.warn({ why }, 'event store: replacing the append stream');
    client = urlNow === null ? open(url) : null;
    broken.retiring.abort();
    const gone = Promise.all([dispose(broken.esdb, closeMs), takingDown]).then(() => {
      if (takingDown === gone) takingDown = undefined;
    });
    takingDown = gone;
  };
  return {
    current: () => (client && !takingDown ? client : next()),
    replace,
    moved: (why) => {
      moves += 1;
      if (client) replace(client, why);
    },
    close: async () => {
      if (client) await dispose(client.esdb, closeMs);
    },
  };
};

/** Cancels all open calls at once, and waits for them, with a time limit. */
export const dispose = async (esdb: EventStoreDBClient, closeMs: number): Promise<void> => {
  await withTimeoutOrNull(closeMs, esdb.dispose());
};

/** Internals of the client that we need. */
type Insides = { readonly capabilities: Promise<unknown>; readonly disposableStreams: ReadonlySet<unknown> };

/**
 * Resolves when the server has reported its features. The client asks before its first append, without a deadline;
 * asking earlier distinguishes "nothing was sent" from "outcome unknown". A client that is replaced meanwhile may never connect.
 * @throws the raw gRPC error
 */
export const serverFeatures = async (client: WriteClient): Promise<void> => {
  const { esdb, isConnected, retiring } = client;
  const { capabilities } = esdb as unknown as Insides;
  if (isConnected) return void (await capabilities);
  await raceAbort(capabilities, retiring.signal);
  if (retiring.signal.aborted) throw new Error('the client was replaced before it was connected');
  client.isConnected = true;
};

const guarded = new WeakSet<Duplex>();

/**
 * Prevents a crash: the client throws at an answer to an append that is no longer in its table, because an error of
 * another client's stream emptied the table. The callers already know that the outcome is unknown, and retry.
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
        // The table entry that it destructures is missing: nobody waits for this answer.
        if (!(error instanceof TypeError)) throw error;
      }
    });
    stream.removeListener('data', listener as (answer: unknown) => void);
  }
};

/** The stream that all appends of the client share, once it exists. */
export const appendStream = (esdb: EventStoreDBClient): Duplex | undefined => {
  const [stream] = (esdb as unknown as Insides).disposableStreams;
  return stream as Duplex | undefined;
};
