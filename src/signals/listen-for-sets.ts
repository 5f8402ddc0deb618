import { keepListening } from '../projections/keep-listening.ts';
import type { Logger } from '../projections/pipelined-reader.ts';
import type { PollPlaces } from './poll-places.ts';
import { SIGNALS_CHANNEL } from './set-queue.ts';

/** Wakes the polls of this instance, whichever instance made something new, over one connection. */
export const listenForSets = ({
  databaseUrl,
  places,
  logger,
}: {
  readonly databaseUrl: string;
  readonly places: Pick<PollPlaces, 'wake' | 'wakeAllGently'>;
  readonly logger: Logger;
}): { close(): Promise<void> } =>
  keepListening({
    databaseUrl,
    channel: SIGNALS_CHANNEL,
    logger,
    heard: (streamId) => places.wake(streamId),
    connected: () => Promise.resolve(places.wakeAllGently()), // notifications may have been missed
  });
