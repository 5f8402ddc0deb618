import type { Decider, Decision } from '../../domain/kernel/decision.ts';
import { deciderOf, recordIn, type RecordOf } from '../../domain/records/record-resource.ts';
import type { RecordEvent } from '../../domain/records/each-record.ts';
import { type RecordResource, recordResources } from '../../domain/records/record-resources.ts';
import {
  judgeRecord,
  type KnownRecord,
  type RecordEffect,
  type RecordRefusal,
  type RecordState,
} from '../../domain/records/record.ts';
import { recordStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { FindKnown, KnownRecords } from '../../projections/read-models.ts';
import type { CommandContext } from '../kernel/context.ts';
import { handle, type Known, unseen } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';

/** Each records or removes a record of the host platform (LI-08): `recordProfile`, and so on. */
export type RecordCommands = {
  readonly [R in RecordResource as `record${R['name']}`]: RecordOne<R>;
};

type RecordOne<R extends RecordResource> = (
  request: RecordRequest<RecordOf<R>>,
  context?: CommandContext,
) => Promise<RecordOutcome>;

export type RecordRequest<T> = {
  readonly organizationId: string;
  readonly id: string;
  readonly version: number;
  /** Null removes the record. */
  readonly record: T | null;
};

/** `position` is what to wait for until the lists show it; null where they already do. */
export type RecordOutcome = Outcome<
  { readonly effect: 'added' | 'changed' | 'removed' | 'unchanged'; readonly position: Position | null },
  RecordRefusal
>;

export type RecordDependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  /** Saves most of the work for records that arrive again; without it only the log is read. */
  readonly knownRecords?: KnownRecords;
};

/**
 * A record costs one round trip: a new one is appended as the first event, else at the revision of the read models, which are never ahead
 * of the log; what they have as new needs no read. Conflicts load the stream. Event ids are random: the log would report a repeat of the first as a success.
 */
export const makeRecord = <R extends RecordResource>(
  { store, now, knownRecords }: RecordDependencies,
  resource: R,
): RecordOne<R> => {
  const decider = deciderOf(resource) as Decider<RecordState<RecordOf<R>>, RecordEvent>;
  const decide = recordIn(resource);
  const find = knownRecords?.[resource.key] as FindKnown<RecordOf<R>> | undefined;
  return async (request, context) => {
    const shown = await find?.(request.organizationId, request.id).catch(nothingShown);
    const assume = shown ? knownFrom(shown) : unseen(decider);
    const believed = judgeRecord(assume.state, request);
    if (believed === 'unchanged' || believed === 'older-version') return outcomeOf(believed, null);
    const command = { ...request, now: now() };
    const { before, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        recordStream(resource, request.organizationId, request.id),
        decider,
        (known) => decide(known, command) as Decision<RecordEvent, RecordRefusal>,
        { context, assume },
      ),
    );
    return outcomeOf(judgeRecord(before, command), position);
  };
};

/** The command of each resource. */
export const makeRecordCommands = (dependencies: RecordDependencies): RecordCommands =>
  Object.fromEntries(
    recordResources.map((resource) => [`record${resource.name}`, makeRecord(dependencies, resource)]),
  ) as unknown as RecordCommands;

/** The read models are not available: the log is enough. */
const nothingShown = (): null => null;

const knownFrom = <T>({ version, record, revision }: KnownRecord<T>): Known<RecordState<T>> => ({
  state: { status: 'present', version, record },
  revision,
  position: null,
  fenced: [],
});

const outcomeOf = (judgement: RecordEffect | RecordRefusal, position: Position | null): RecordOutcome =>
  judgement === 'older-version' || judgement === 'version-conflict' || judgement === 'record-erased'
    ? { ok: false, refusal: judgement }
    : { ok: true, value: { effect: judgement, position } };
