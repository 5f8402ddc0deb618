import type { Decision, Instant } from '../../domain/kernel/decision.ts';
import {
  addonOfSignalStream,
  changeSignalStream,
  deleteSignalStream,
  replaySignalStream,
  setSignalStreamStatus,
  signalStreamDecider,
  type SignalParty,
  type SignalStatus,
  type SignalStreamEvent,
  type SignalStreamState,
} from '../../domain/signals/signal-stream.ts';
import { signalStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import { ChangedMeanwhile, handle } from '../kernel/handle.ts';
import type { LoadSignalStream } from './load-signal-stream.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';
import { encryptAuthorization } from '../credentials/signal-authorization.ts';
import {
  madeBy,
  type GivenConfiguration,
  signalStreamDone,
  type SignalStreamCaller,
  type SignalStreamDone,
} from './signal-stream-done.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type LogDependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  readonly loadSignalStream: LoadSignalStream;
};
type Dependencies = LogDependencies &
  Pick<CommandDependencies, 'keys'> & {
    readonly addons: AddonDirectory;
  };

type Ids = { readonly streamId: string; readonly caller: SignalStreamCaller };

export type ChangeSignalStream = Ids & {
  readonly change: Partial<GivenConfiguration>;
};

/** Changes what is given. The same once more changes nothing, except that a header is always encrypted anew. */
export const makeChangeSignalStream =
  (dependencies: Dependencies) =>
  async (
    { streamId, caller, change }: ChangeSignalStream,
    context?: CommandContext,
  ): Promise<Outcome<SignalStreamDone, ChangeSignalStreamRefusal>> => {
    if (change.method === 'poll' && !(await mayPoll(dependencies, streamId)))
      return { ok: false, refusal: 'push-only' };
    const { authorization: header, ...others } = change;
    const authorization = header ? encryptAuthorization(dependencies.keys, streamId, header) : null;
    const kept = header === undefined ? others : { ...others, authorization };
    return decideOn(dependencies, { streamId, caller }, context, (state, at) =>
      changeSignalStream(state, { ...at, change: kept }),
    );
  };

export type ChangeSignalStreamRefusal = 'signal-stream-unknown' | 'push-only';

const mayPoll = async ({ addons }: Dependencies, streamId: string): Promise<boolean> => {
  const addon = await addons.current(addonOfSignalStream(streamId) ?? '');
  return !addon || addon.secretDigests.length > 0;
};

export type SetSignalStreamStatus = Ids & {
  readonly status: SignalStatus;
  /** For the other party, not for the audit log. */
  readonly reason: string | null;
  readonly by: SignalParty;
};

/** SG-03. `by: 'transmitter'` causes a `stream-updated` event for the receiver. */
export const makeSetSignalStreamStatus =
  (dependencies: LogDependencies) =>
  ({ streamId, caller, ...change }: SetSignalStreamStatus, context?: CommandContext) =>
    decideOn(dependencies, { streamId, caller }, context, (state, at) =>
      setSignalStreamStatus(state, { ...at, ...change }),
    );

export type PauseSignalStream = {
  readonly streamId: string;
  /** For its owner and the operator. */
  readonly reason: string;
  /** At which its pushes were seen to fail; null where that is not known. */
  readonly revision: bigint | null;
};

/**
 * SG-08: pauses, as the transmitter, a stream whose pushes have failed for too long. A stream that has changed since the
 * revision is left alone, and so is one that is no longer enabled: its receiver may have resumed it meanwhile.
 */
export const makePauseSignalStream =
  (dependencies: LogDependencies) =>
  async (
    { streamId, reason, revision }: PauseSignalStream,
    context: CommandContext,
  ): Promise<Outcome<SignalStreamDone, 'signal-stream-unknown' | 'changed-meanwhile'>> => {
    const stream = signalStream(addonOfSignalStream(streamId) ?? '');
    let given = context;
    if (revision !== null) {
      // What is left out of a stream may follow the event at that revision.
      const { events, revision: end } = await dependencies.store.readBack(stream, 'end', 1);
      if (events.at(-1)?.revision !== revision) return changed;
      given = { ...context, unchangedSince: { stream, revision: end } };
    }
    const change = { status: 'paused', reason, by: 'transmitter', onlyFrom: 'enabled' } as const;
    try {
      return await decideOn(dependencies, { streamId, caller: 'service' }, given, (state, at) =>
        setSignalStreamStatus(state, { ...at, ...change }),
      );
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return changed;
      throw error;
    }
  };

const changed = { ok: false, refusal: 'changed-meanwhile' } as const;

/** Offers what is kept and came after a position (`commit/prepare`) once more (SG-12). */
export const makeReplaySignalStream =
  (dependencies: LogDependencies) =>
  ({ streamId, after }: { readonly streamId: string; readonly after: string }, context?: CommandContext) =>
    decideOn(dependencies, { streamId, caller: 'operator' }, context, (state, at) =>
      replaySignalStream(state, { ...at, after }),
    );

export const makeDeleteSignalStream =
  ({ store, now, loadSignalStream }: LogDependencies) =>
  async (
    { streamId, caller }: Ids,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, 'signal-stream-unknown'>> => {
    const addonId = addonOfSignalStream(streamId);
    if (addonId === null) return unknown;
    return retryUnknownOutcome(async (attempt) => {
      const { refusal, position } = await handle(
        store,
        signalStream(addonId),
        signalStreamDecider,
        (state) => deleteSignalStream(state, { streamId, now: now() }),
        { context, load: () => loadSignalStream(addonId), ...madeBy(caller, addonId) },
      );
      // The first attempt may have been stored.
      return refusal && attempt === 'first' ? unknown : { ok: true, value: { position } };
    });
  };

const unknown = { ok: false, refusal: 'signal-stream-unknown' } as const;

const decideOn = async (
  { store, now, loadSignalStream }: LogDependencies,
  { streamId, caller }: Ids,
  context: CommandContext | undefined,
  decide: (
    state: SignalStreamState,
    at: { readonly streamId: string; readonly now: Instant },
  ) => Decision<SignalStreamEvent, 'signal-stream-unknown'>,
): Promise<Outcome<SignalStreamDone, 'signal-stream-unknown'>> => {
  const addonId = addonOfSignalStream(streamId);
  if (addonId === null) return unknown;
  const handled = await handleRetrying(
    store,
    signalStream(addonId),
    signalStreamDecider,
    (state) => decide(state, { streamId, now: now() }),
    { context, load: () => loadSignalStream(addonId), ...madeBy(caller, addonId) },
  );
  return signalStreamDone(handled);
};
