import {
  createSignalStream,
  signalStreamDecider,
  signalStreamId,
} from '../../domain/signals/signal-stream.ts';
import { signalStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { LoadSignalStream } from './load-signal-stream.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { encryptAuthorization } from '../credentials/signal-authorization.ts';
import {
  madeBy,
  type GivenConfiguration,
  signalStreamDone,
  type SignalStreamCaller,
  type SignalStreamDone,
} from './signal-stream-done.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'keys' | 'newId'> & {
  readonly addons: AddonDirectory;
  readonly loadSignalStream: LoadSignalStream;
};

export type CreateSignalStream = {
  readonly addonId: string;
  readonly caller: SignalStreamCaller;
  readonly configuration: GivenConfiguration;
};

export type CreateSignalStreamRefusal =
  'addon-unknown' | 'addon-retired' | 'push-only' | 'signal-stream-exists';

/** Creates the one stream of an add-on (SG-03). A public add-on has no token to poll with: it is only pushed to (SG-02). */
export const makeCreateSignalStream =
  ({ store, now, keys, newId, addons, loadSignalStream }: Dependencies) =>
  async (
    { addonId, caller, configuration }: CreateSignalStream,
    context?: CommandContext,
  ): Promise<Outcome<SignalStreamDone, CreateSignalStreamRefusal>> => {
    const addon = await addons.current(addonId);
    if (!addon) return { ok: false, refusal: 'addon-unknown' };
    if (addon.retired) return { ok: false, refusal: 'addon-retired' };
    if (addon.secretDigests.length === 0 && configuration.method === 'poll')
      return { ok: false, refusal: 'push-only' };
    const streamId = signalStreamId(addonId, (context?.once?.newId ?? newId)());
    const { authorization: header } = configuration;
    const authorization = header === null ? null : encryptAuthorization(keys, streamId, header);
    const created = { ...configuration, authorization, streamId, addonId };
    const handled = await handleRetrying(
      store,
      signalStream(addonId),
      signalStreamDecider,
      (state) => createSignalStream(state, { ...created, now: now() }),
      { context, load: () => loadSignalStream(addonId), ...madeBy(caller, addonId) },
    );
    return signalStreamDone(handled);
  };
