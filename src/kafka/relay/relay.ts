import { makeBackoff, pause } from '../../common/backoff.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { ToMessage } from '../contract/to-message.ts';
import { MessageRefused, type KafkaClient, type MessageToPublish } from '../kafka-client.ts';
import type { Trouble } from '../status.ts';
import type { OwnersOf } from './grant-owners.ts';

/** Points where a test may end, stop or stall a relay, in the order in which a batch passes them. */
export const relayPoints = [
  'read',
  'translated',
  'before-send',
  'between-runs',
  'acknowledged',
  'before-checkpoint',
  'after-checkpoint',
] as const;

export type RelayPoint = (typeof relayPoints)[number];

export type AtPoint = (point: RelayPoint) => Promise<void> | void;

export type RelayDependencies = {
  readonly kafka: Pick<KafkaClient, 'publish'>;
  readonly toMessage: ToMessage;
  readonly ownersOf: OwnersOf;
  readonly logger: RelayLogger;
  readonly now: () => number;
  readonly bounds?: Partial<RelayBounds> | undefined;
  /** Hook for tests. */
  readonly at?: AtPoint | undefined;
};

/** In milliseconds. */
export type RelayBounds = {
  /** The pause after the first failed attempt; it doubles up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** After this long without success the leader steps down, so that another instance may try. */
  readonly stepDownAfter: number;
};

export const relayBounds: RelayBounds = { firstPause: 100, longestPause: 3_000, stepDownAfter: 30_000 };

export type Relayed = 'handled' | 'stepped-down';

export const makeRelay = (dependencies: RelayDependencies) => {
  const { kafka, toMessage, ownersOf, logger, now, at = () => undefined } = dependencies;
  const bounds = { ...relayBounds, ...dependencies.bounds };
  const troubles = makeTroubles({ logger, now });
  const published = new Map<string, number>();
  let waiting: readonly RecordedEvent[] = [];

  /** Null when it was given up. A refused message would be refused everywhere, so it is no reason to step down. */
  const patiently = async <T>(
    attempt: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly result: T } | null> => {
    const backoff = makeBackoff(bounds.firstPause, bounds.longestPause);
    const began = now();
    while (!signal.aborted) {
      try {
        const result = await attempt();
        return { result };
      } catch (error) {
        if (signal.aborted) break;
        troubles.failed(error);
        if (!(error instanceof MessageRefused) && now() - began >= bounds.stepDownAfter) break;
        await pause(backoff.next(), signal);
      }
    }
    return null;
  };

  const translate = async (events: readonly RecordedEvent[]): Promise<readonly MessageToPublish[]> => {
    const owners = await ownersOf(events);
    return events.flatMap((event, index) => toMessage(event, owners[index] ?? null) ?? []);
  };

  return {
    /**
     * Publishes a batch of the log. `handled`: every in-sync replica has all of it. Failures are retried with a growing
     * pause, and nothing is skipped. `stepped-down`: it failed for too long, or `signal` was aborted.
     */
    relay: async (events: readonly RecordedEvent[], signal: AbortSignal): Promise<Relayed> => {
      waiting = events;
      await at('read');
      const messages = await patiently(() => translate(events), signal);
      if (!messages) return 'stepped-down';
      await at('translated');
      for (const [index, run] of orderedBatches(messages.result).entries()) {
        await at(index === 0 ? 'before-send' : 'between-runs');
        if (!(await patiently(() => kafka.publish(run, signal), signal))) return 'stepped-down';
        troubles.succeeded();
        for (const { topic } of run) published.set(topic, (published.get(topic) ?? 0) + 1);
      }
      await at('acknowledged');
      waiting = [];
      return 'handled';
    },
    /** For this instance, while it is leader; the relay itself does not know its role. */
    status: () => ({
      trouble: troubles.current(),
      published: [...published].map(([topic, messages]) => ({ topic, messages })),
      waiting: waiting.length,
      oldestWaiting: waiting[0]?.created ?? null,
      failures: troubles.failures(),
      lastFailure: troubles.lastFailure(),
    }),
  };
};

export type Relay = ReturnType<typeof makeRelay>;

/** Runs of a batch, each published after the one before. In a run a key has one topic: a reader of all sees its messages in order. */
export const orderedBatches = (
  messages: readonly MessageToPublish[],
): readonly (readonly MessageToPublish[])[] => {
  const runs: MessageToPublish[][] = [];
  const last = new Map<MessageToPublish['key'], { readonly run: number; readonly topic: string }>();
  for (const message of messages) {
    const { key, topic } = message;
    const before = last.get(key);
    const run = before === undefined ? 0 : before.run + (before.topic === topic ? 0 : 1);
    if (before?.run !== run || before.topic !== topic) last.set(key, { run, topic });
    (runs[run] ??= []).push(message);
  }
  return runs;
};

type RelayLogger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
};

type Dependencies = { readonly logger: RelayLogger; readonly now: () => number };

/** Tracks problems of the relay and logs each once when it begins, when its cause changes, and when it is over. */
const makeTroubles = ({ logger, now }: Dependencies) => {
  let trouble: (Trouble & { readonly refused: boolean; readonly attempts: number }) | null = null;
  let failures = 0;
  let lastFailure: number | null = null;
  return {
    failed(error: unknown) {
      const refused = error instanceof MessageRefused;
      const reason = error instanceof Error ? error.message : String(error);
      failures += 1;
      lastFailure = now();
      const isNew = trouble?.refused !== refused;
      trouble = {
        since: trouble?.since ?? lastFailure,
        reason,
        refused,
        attempts: (trouble?.attempts ?? 0) + 1,
      };
      if (!isNew) return;
      if (refused)
        logger.error(
          { err: error, alarm: true },
          'Kafka refuses a message; the relay retries until it is accepted',
        );
      else logger.warn({ err: error }, 'the relay cannot publish; retrying, nothing is lost');
    },
    succeeded() {
      if (!trouble) return;
      const { since, attempts } = trouble;
      trouble = null;
      logger.info({ attempts, seconds: Math.round((now() - since) / 1000) }, 'the relay has recovered');
    },
    current: () => trouble && { since: trouble.since, reason: trouble.reason },
    failures: () => failures,
    lastFailure: () => lastFailure,
  };
};
