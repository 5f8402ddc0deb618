import { isUlid } from '../../domain/kernel/ids.ts';
import type { SignalStream } from '../../domain/signals/signal-stream.ts';
import type { LoadSignalStream } from './load-signal-stream.ts';

/** The stream that an add-on has now, from the log; null for none. */
export const makeFindSignalStream =
  ({ loadSignalStream }: { readonly loadSignalStream: LoadSignalStream }) =>
  async (addonId: string): Promise<SignalStream | null> =>
    isUlid(addonId) ? (await loadSignalStream(addonId)).state.stream : null;
