import type { EventType } from '../domain/events.ts';
import { addonOfSignalStream } from '../domain/signals/signal-stream.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import type { Listener } from '../projections/database/listener.ts';
import { watchEvents, type WatchDependencies } from '../projections/follow/watch-events.ts';
import type { JudgedLately } from './judged-lately.ts';
import type { PollPlaces } from './poll-places.ts';
import { SIGNALS_CHANNEL } from './set-queue.ts';

type Dependencies = Pick<WatchDependencies, 'log' | 'logger'> & {
  readonly listener: Pick<Listener, 'on'>;
  readonly places: Pick<PollPlaces, 'wake' | 'wakeAllGently'>;
  readonly lately: Pick<JudgedLately, 'forget' | 'hear'>;
};

/** Wakes polls here whichever instance queued a SET (one connection), changed the stream or ended the token (the log). */
export const startWakingPolls = ({
  listener,
  log,
  places,
  lately,
  logger,
}: Dependencies): { stop(): Promise<void> } => {
  const stopListening = listener.on(SIGNALS_CHANNEL, {
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
  return {
    async stop() {
      stopListening();
      await watching.stop();
    },
  };
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
