import type { Instant } from '../../domain/kernel/decision.ts';
import { signalStream } from '../../domain/streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { LoadSignalStream } from './load-signal-stream.ts';

/** More than a receiver needs that is set up, tested or moved, and too few to fill the log: each is an event. */
export const signalChangesPerHour = 600;
const hour = 3_600_000;

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  readonly loadSignalStream: LoadSignalStream;
};

/** When an add-on may change or create its stream again after `signalChangesPerHour` changes, by the log; null: now. */
export const makeSignalChangesPausedUntil =
  ({ store, now, loadSignalStream }: Dependencies) =>
  async (addonId: string): Promise<Instant | null> => {
    const { revision } = await loadSignalStream(addonId);
    const earlier = revision === 'no-stream' ? -1n : revision - BigInt(signalChangesPerHour - 1);
    if (earlier < 0n) return null;
    const { events } = await store.readBack(signalStream(addonId), earlier, 1);
    const [{ event } = {}] = events;
    const until = event && 'at' in event.data ? event.data.at + hour : 0;
    return until > now() ? until : null;
  };
