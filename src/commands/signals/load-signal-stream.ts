import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import { makeSharedCalls } from '../../common/shared-calls.ts';
import {
  signalStreamDecider,
  type SignalStreamState,
  type SignalStream,
} from '../../domain/signals/signal-stream.ts';
import { signalStream } from '../../domain/streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { grownFrom, type Known, knownFrom, load } from '../kernel/handle.ts';
import { isUlid } from '../../domain/kernel/ids.ts';

/** Nearly all streams are shorter. */
const tailLength = 32;
/** Of longer ones; an entry takes two kilobytes, and 50 where the add-on requests as much as it may. */
const most = 1_000;

export type LoadSignalStream = (addonId: string) => Promise<Known<SignalStreamState>>;

/** An add-on's signal stream as the log has it now. Of a long one only newest events are read; calls share reads that begin after them. */
export const makeLoadSignalStream = ({ store }: Pick<CommandDependencies, 'store'>): LoadSignalStream => {
  const kept = new LRUCache<string, Known<SignalStreamState>>(growing(most));
  return makeSharedCalls(async (addonId) => {
    const stream = signalStream(addonId);
    const known = kept.get(addonId);
    const { events, revision, further } = await store.readBack(stream, 'end', tailLength);
    if (further === null) return knownFrom(signalStreamDecider, events, revision);
    const loaded =
      (known && grownFrom(signalStreamDecider, known, events, revision)) ??
      (await load(store, stream, signalStreamDecider));
    kept.set(addonId, loaded);
    return loaded;
  });
};

/** The stream that an add-on has now, from the log; null for none. */
export const makeFindSignalStream =
  ({ loadSignalStream }: { readonly loadSignalStream: LoadSignalStream }) =>
  async (addonId: string): Promise<SignalStream | null> =>
    isUlid(addonId) ? (await loadSignalStream(addonId)).state.stream : null;
