import { setMaxListeners } from 'node:events';
import { makeSharedCalls } from '../../common/shared-calls.ts';
import { underAny } from '../../common/linked-abort.ts';
import { flatten } from '../codec/flatten.ts';
import type { PersonalData } from '../codec/personal-data.ts';
import {
  type AppendProbe,
  type EventReference,
  type EventStore,
  EventStoreUnavailable,
  type LogReader,
  type LogSubscriptions,
  type StreamRemover,
  AppendOutcomeUnknown,
  type Outcomes,
  PersonalDataUnavailable,
} from '../event-store.ts';
import { makeAskGossip } from '../leader/ask-gossip.ts';
import { makeConfirmLeader } from '../leader/confirm-leader.ts';
import { type LeaderWatch, watchLeader } from '../leader/leader-watch.ts';
import type { Logger } from '../logger.ts';
import { checkConnectionString } from '../server/connection-problems.ts';
import { readConnectionString, withHost } from '../server/connection-string.ts';
import { makeMissingRights } from '../server/rights.ts';
import { makeIsSkipped } from '../skipped-events.ts';
import { makeEsdbAppend } from './esdb-append.ts';
import { makeEsdbProbe } from './esdb-probe.ts';
import {
  makeEsdbEventAt,
  makeEsdbHead,
  keepStreams,
  makeEsdbRead,
  makeEsdbReadEach,
  makeEsdbReadBack,
  makeEsdbReadEnd,
  makeEsdbReadStored,
} from './esdb-read.ts';
import { makeEsdbRemove } from './esdb-remove.ts';
import { makeOutbox } from './outbox.ts';
import { makeReadClients } from './read-client.ts';
import { makeIsUnreleased } from './is-unreleased.ts';
import { readLog } from './read-log.ts';
import { makeSeenRevisions } from './seen-revisions.ts';
import { shareSources } from './shared-sources.ts';
import { endedSource, openSource, type SourceOptions } from './subscription-source.ts';
import { followLog, type LogBatches, regexOf, type SubscribeOptions } from './subscription.ts';
import { decodeOnce, makeTakeEvents } from './take-events.ts';
import { defaultTimeouts, type Timeouts } from './timeouts.ts';
import { makeWriteClients } from './write-client.ts';

export type EventStoreOptions = {
  /** `esdb://127.0.0.1:2113?tls=false`, or the URL from the server's operator. */
  readonly url: string;
  readonly logger: Logger;
  readonly timeouts?: Partial<Timeouts>;
  /** Called when a subscription resumes after a drop: the address may lead to another log since then. */
  readonly resumed?: () => void;
  /** Called each time an event is read that prevents decisions on its stream. */
  readonly unreadable?: (event: EventReference, problem: string) => void;
  /** Encrypts personal data on write, and decrypts it on read; without it an encrypted event cannot be decoded. */
  readonly personal?: PersonalData;
  /** Categories of streams that are read again and again: they are kept, and asked for together. */
  readonly keep?: readonly string[];
};

/**
 * The event store over the EventStoreDB client, with the safeguards that the client lacks (docs/explanation/event-store.md).
 * Connects with the first call. Only one per process: the client keeps all pending appends of a process in one table.
 * @throws Error when the connection string does not mean what it says
 */
export const connectEventStore = (
  options: EventStoreOptions,
): EventStore & LogSubscriptions & LogBatches & LogReader & AppendProbe & StreamRemover => {
  checkConnectionString(options.url);
  const { url, logger, resumed, personal, unreadable, keep = [] } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { resumeMs } = timeouts;
  const closing = new AbortController();
  const closed = closing.signal;
  // All waits before retries listen to this signal.
  setMaxListeners(0, closed);
  const watch = watchCluster(url, logger, () => {
    clients.moved('the leader has changed');
    readers.replace();
  });
  const urlNow = watch && (() => leadersUrl(url, watch));
  const clients = makeWriteClients(url, urlNow, timeouts.closeMs, logger);
  // Reads and subscriptions have a client of their own: an error of theirs must not break the stream that appends
  // share.
  const readers = makeReadClients(url, urlNow, timeouts.closeMs);
  const open = async (source: Omit<SourceOptions, 'confirmMs'>) => {
    try {
      return openSource((await readers.current()).esdb, { ...source, confirmMs: timeouts.confirmMs });
    } catch (error) {
      if (error instanceof EventStoreUnavailable) return endedSource(error); // no leader is known yet
      throw error;
    }
  };
  const outbox = makeOutbox();
  const answered = { at: -Infinity };
  const tryProbe = makeEsdbProbe({ clients, readers, outbox, timeouts });
  const probe = async () => {
    const time = await tryProbe();
    answered.at = performance.now();
    return time;
  };
  const confirmLeader = makeConfirmLeader({ watch, readers, probe, timeouts });
  const seen = makeSeenRevisions();
  const reading = { readers, timeouts, logger, seen, confirmLeader, closed, answered };
  const readStored = makeEsdbReadStored(reading);
  const isSkipped = makeIsSkipped(readStored);
  const kept = keepStreams(reading, keep);
  const take = makeTakeEvents({ personal, isSkipped, logger, unreadable });
  const readBack = makeEsdbReadBack(reading, kept, take);
  const following = {
    logger,
    open: shareSources(({ after, types }) => open({ after, regex: regexOf(types) })),
    take: decodeOnce(take),
    resumeMs,
    ...(resumed && { resumed }),
    ...(watch && { longestWaitMs: 500 }),
  };
  const readWhole: LogReader['readLog'] = (asked) =>
    underAny([asked.signal, closed], (signal) => readLog({ logger, open, resumeMs }, { ...asked, signal }));
  const subscribeBatches = (subscription: SubscribeOptions) =>
    underAny([subscription.signal, closed], (signal) => followLog(following, { ...subscription, signal }));
  return {
    ...watchAppends(makeEsdbAppend({ clients, outbox, personal, timeouts, seen, logger, closed }), answered),
    probe,
    confirmLeader,
    missingRights: makeMissingRights(readers, timeouts.readMs),
    remove: makeEsdbRemove(reading),
    // While one is under way, whoever asks for the same stream waits for the next one, which began after all of them asked.
    read: makeSharedCalls(makeEsdbRead(kept, take)),
    readEnd: makeEsdbReadEnd(reading, readBack, take),
    readBack,
    head: makeEsdbHead(reading),
    eventAt: makeEsdbEventAt(reading),
    readStored,
    readEach: makeEsdbReadEach(reading, take),
    readLog: readWhole,
    isUnreleased: makeIsUnreleased(readWhole),
    subscribeBatches,
    subscribe: (subscription) => flatten(subscribeBatches(subscription)),
    async close() {
      closing.abort();
      watch?.close();
      await Promise.all([clients.close(), readers.close()]);
    },
  };
};

/** Null for a single server. */
const watchCluster = (url: string, logger: Logger, changed: () => void): LeaderWatch | null => {
  const { isCluster, hosts } = readConnectionString(url);
  if (!isCluster) return null;
  const seeds = hosts.map((host) => (host.includes(':') ? host : `${host}:2113`));
  return watchLeader({ seeds, gossip: makeAskGossip(url), logger, changed });
};

/** Never the client's own discovery: it believes the first node that answers. */
const leadersUrl = async (url: string, watch: LeaderWatch): Promise<string> =>
  withHost(url, await watch.leader());

const isOfStore = (error: unknown): boolean =>
  error instanceof AppendOutcomeUnknown ||
  (error instanceof EventStoreUnavailable && !(error instanceof PersonalDataUnavailable));

/** The same append, and when it was last answered, or not. A conflict is an answer. */
const watchAppends = (append: EventStore['append'], answered: { readonly at: number }) => {
  let outcomes: Omit<Outcomes, 'answeredAt'> = {
    succeededAt: -Infinity,
    failedAt: -Infinity,
    error: undefined,
  };
  return {
    outcomes: (): Outcomes => ({ ...outcomes, answeredAt: answered.at }),
    append: async (...given: Parameters<EventStore['append']>) => {
      try {
        const result = await append(...given);
        outcomes = { ...outcomes, succeededAt: performance.now() };
        return result;
      } catch (error) {
        if (isOfStore(error)) outcomes = { ...outcomes, failedAt: performance.now(), error };
        throw error;
      }
    },
  };
};
