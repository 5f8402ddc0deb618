import { randomUUID } from 'node:crypto';
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
import { handle, type Known, knownFrom, unseen } from '../kernel/handle.ts';
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
  /** Where it is a line of a batch that may be sent again. */
  readonly line?: LineOfBatch;
};

/** A batch of lines under a key, and whether an earlier request may have stored a part of it (FX-77). */
export type KeyedBatch = { readonly id: string; readonly isRepeat: boolean };

/** The id of its event is the same in every try. */
export type LineOfBatch = Pick<KeyedBatch, 'isRepeat'> & { readonly eventId: string };

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
 * Where an earlier try may have stored the record, and nothing is to be stored now, its event is looked for: it counts as what it did then.
 */
export const makeRecord = <R extends RecordResource>(
  { store, now, knownRecords }: RecordDependencies,
  resource: R,
): RecordOne<R> => {
  const decider = deciderOf(resource) as Decider<RecordState<RecordOf<R>>, RecordEvent>;
  const decide = recordIn(resource);
  const find = knownRecords?.[resource.key] as FindKnown<RecordOf<R>> | undefined;
  return async (request, context) => {
    const { organizationId, id, line } = request;
    const stream = recordStream(resource, organizationId, id);
    const eventId = line?.eventId ?? randomUUID();
    let mayBeStored = line?.isRepeat ?? false;
    const outcomeOnce = async (judged: RecordEffect | RecordRefusal, position: Position | null) => {
      if (!mayBeStored) return outcomeOf(judged, position);
      const { events } = await store.read(stream);
      const at = events.findIndex((event) => event.id === eventId);
      const stored = events[at];
      if (!stored) return outcomeOf(judged, position);
      const before = knownFrom(decider, events.slice(0, at)).state;
      return outcomeOf(judgeRecord(before, request), stored.position);
    };
    const shown = await find?.(organizationId, id).catch(nothingShown);
    const assume = shown ? knownByReadModel(shown) : unseen(decider);
    const believed = judgeRecord(assume.state, request);
    if (believed === 'unchanged' || believed === 'older-version') return outcomeOnce(believed, null);
    const command = { ...request, now: now() };
    const { before, position, events } = await retryUnknownOutcome((attempt) => {
      mayBeStored ||= attempt === 'again';
      return handle(
        store,
        stream,
        decider,
        (known) => decide(known, command) as Decision<RecordEvent, RecordRefusal>,
        { context, assume, eventId: () => eventId },
      );
    });
    const judged = judgeRecord(before, command);
    return events.length > 0 ? outcomeOf(judged, position) : outcomeOnce(judged, position);
  };
};

/** The command of each resource. */
export const makeRecordCommands = (dependencies: RecordDependencies): RecordCommands =>
  Object.fromEntries(
    recordResources.map((resource) => [`record${resource.name}`, makeRecord(dependencies, resource)]),
  ) as unknown as RecordCommands;

/** The read models are not available: the log is enough. */
const nothingShown = (): null => null;

const knownByReadModel = <T>({ version, record, revision }: KnownRecord<T>): Known<RecordState<T>> => ({
  state: { status: 'present', version, record },
  revision,
  position: null,
  fenced: [],
});

const outcomeOf = (judgement: RecordEffect | RecordRefusal, position: Position | null): RecordOutcome =>
  judgement === 'older-version' || judgement === 'version-conflict' || judgement === 'record-erased'
    ? { ok: false, refusal: judgement }
    : { ok: true, value: { effect: judgement, position } };
