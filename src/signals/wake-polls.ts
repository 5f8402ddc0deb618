import type { DatabaseGeneration } from '../projections/database/database-generation.ts';
import type { EventType } from '../domain/events.ts';
import { addonOfSignalStream } from '../domain/signals/signal-stream.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import { keepListening } from '../projections/follow/keep-listening.ts';
import { watchEvents, type WatchDependencies } from '../projections/follow/watch-events.ts';
import type { JudgedLately } from './judged-lately.ts';
import type { PollPlaces } from './poll-places.ts';
import { SIGNALS_CHANNEL } from './set-queue.ts';

type Dependencies = Pick<WatchDependencies, 'log' | 'logger'> & {
  readonly databaseUrl: string;
  readonly database?: DatabaseGeneration | undefined;
  readonly places: Pick<PollPlaces, 'wake' | 'wakeAllGently'>;
  readonly lately: Pick<JudgedLately, 'forget' | 'hear'>;
};

/** Wakes polls here whichever instance queued a SET (one connection), changed the stream or ended the token (the log). */
export const startWakingPolls = ({
  databaseUrl,
  database,
  log,
  places,
  lately,
  logger,
}: Dependencies): { stop(): Promise<void> } => {
  const listening = keepListening({
    databaseUrl,
    database,
    channel: SIGNALS_CHANNEL,
    logger,
    heard: (streamId) => places.wake(addonOfSignalStream(streamId) ?? streamId),
    connected: () => Promise.resolve(places.wakeAllGently()), // notifications may have been missed
  });
  const watching = watchEvents({
    log,
    eventTypes: endingTypes,
    began: lately.hear,
    heard: ({ stream }) => places.wake(lately.forget(idOf(stream))),
    logger,
  });
  return { stop: async () => void (await Promise.all([listening.close(), watching.stop()])) };
};

/** What is forgotten is judged on the log again. */
const endingTypes: readonly EventType[] = [
  'SignalStreamChanged',
  'SignalStreamStatusChanged',
  'SignalStreamDeleted',
  'AddonSecretRemoved',
  'AddonRetired',
  'AddonTokenRevoked',
];
