import { isUlid } from '../domain/ids.ts';
import { signalStreamDecider, type SignalStream } from '../domain/signal-stream.ts';
import { signalStream } from '../domain/streams.ts';
import type { CommandDependencies } from './dependencies.ts';
import { load } from './handle.ts';

/** The stream that an add-on has now, from the log; null for none. */
export const makeFindSignalStream =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (addonId: string): Promise<SignalStream | null> => {
    if (!isUlid(addonId)) return null;
    const { state } = await load(store, signalStream(addonId), signalStreamDecider);
    return state.stream;
  };
