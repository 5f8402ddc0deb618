import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';

/**
 * What profiles, reservations and access rights have in common: the host platform owns them, and its version says which
 * of two is newer. A removal keeps its version, so that an older record that arrives late does not restore it.
 */
export type RecordState<T> =
  | { readonly status: 'never-seen' }
  | { readonly status: 'present'; readonly version: number; readonly record: T }
  | { readonly status: 'removed'; readonly version: number }
  /** Its person is erased: no version is accepted any more, except a removal. */
  | { readonly status: 'erased'; readonly version: number; readonly removed: boolean };

export type KnownRecord<T> = { readonly version: number; readonly record: T; readonly revision: bigint };

export type RecordRefusal = 'older-version' | 'version-conflict' | 'record-erased';

/** The effect of a version of a record on the known state. */
export type RecordEffect = 'added' | 'changed' | 'removed' | 'unchanged';

export type RecordCommand<T> = {
  readonly organizationId: string;
  readonly id: string;
  readonly version: number;
  /** Null removes it. */
  readonly record: T | null;
  readonly now: Instant;
};

type Versioned<T> = { readonly version: number; readonly record: T | null };

/** A newer version is accepted; the same again changes nothing, unless its content differs: an error of the host. Older ones are refused. */
export const judgeRecord = <T extends object>(
  known: RecordState<T>,
  { version, record }: Versioned<T>,
): RecordEffect | RecordRefusal => {
  if (known.status === 'erased' && record !== null) return 'record-erased';
  if (known.status !== 'never-seen' && version < known.version) return 'older-version';
  if (known.status !== 'never-seen' && version === known.version)
    return isKnown(known, record) ? 'unchanged' : 'version-conflict';
  if (record === null) return 'removed';
  return known.status === 'present' ? 'changed' : 'added';
};

const isKnown = <T extends object>(known: RecordState<T>, record: T | null): boolean => {
  if (known.status === 'erased') return known.removed;
  return sameRecord(known.status === 'present' ? known.record : null, record);
};

const sameRecord = <T extends object>(one: T | null, other: T | null): boolean => {
  if (one === null || other === null) return one === other;
  const fields = Object.keys({ ...one, ...other }) as (keyof T)[];
  return fields.every((field) => one[field] === other[field]);
};

/** What a record's events contain besides its fields, and all that stays after its removal; `version` is the host platform's. */
export type RecordKey = {
  readonly organizationId: string;
  readonly id: string;
  readonly version: number;
  readonly at: Instant;
};

/** Turns the judgement into events of the resource. */
export const decideRecord = <T extends object, E>(
  known: RecordState<T>,
  command: RecordCommand<T>,
  toEvent: (record: T | null, key: RecordKey) => E,
): Decision<E, RecordRefusal> => {
  const { organizationId, id, version, record, now } = command;
  const judgement = judgeRecord(known, command);
  switch (judgement) {
    case 'unchanged':
      return accept();
    case 'older-version':
    case 'version-conflict':
    case 'record-erased':
      return refuse(judgement);
    case 'added':
    case 'changed':
    case 'removed':
      return accept(toEvent(record, { organizationId, id, version, at: now }));
  }
};

/** Folds a resource's events; `read` is the event's record, null for a removal, `erased` when it erases the person. */
export const recordDecider = <T, E extends { readonly data: { readonly version: number } }>(
  read: (event: E) => T | null | 'erased',
): Decider<RecordState<T>, E> => ({
  initial: { status: 'never-seen' },
  evolve: (known, event) => {
    const { version } = event.data;
    const record = read(event);
    if (record === 'erased' || known.status === 'erased')
      return { status: 'erased', version, removed: isRemoved(known) || record === null };
    return record === null ? { status: 'removed', version } : { status: 'present', version, record };
  },
});

const isRemoved = <T>(known: RecordState<T>): boolean =>
  known.status === 'removed' || (known.status === 'erased' && known.removed);
