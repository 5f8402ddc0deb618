import type { About, Owner } from '../../domain/event-subjects.ts';
import type { EventType } from '../../domain/events.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { checkpointOf, readCheckpoint, type CheckpointRow } from '../follow/checkpoint.ts';
import { boundsOf } from './history-months.ts';
import { historyKey, numberOfType, typeOfNumber } from './history-types.ts';
import { historyActed, historyIssues, historyOwnGrants, historyPages } from './history-statements.ts';
import { historyGroup } from './history.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

export type Reference = {
  readonly position: Position;
  readonly stream: string;
  readonly revision: bigint;
  /** Null for a type that only a newer version knows by its number. */
  readonly type: EventType | null;
  readonly owner: Owner | null;
};

/** All of them must match; times are of the log, in milliseconds since the Unix epoch, both inclusive. */
export type ReferenceFilters = {
  /** Without it, all; about a subject all but `AuditQueried`. */
  readonly eventTypes?: readonly EventType[] | undefined;
  /** Further subjects that it must have. */
  readonly concerning?: readonly About[] | undefined;
  readonly actor?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** Exclusive; without a place, from the beginning or from the end. */
export type FromPlace =
  | { readonly order: 'forward'; readonly after: Position | null }
  | { readonly order: 'backward'; readonly before: Position | null };

/** A month whose references were dropped. Positions are those of its first and last one; null where it had none. */
export type DroppedMonth = {
  readonly month: string;
  /** Milliseconds since the Unix epoch; the month ends before the second. */
  readonly bounds: readonly [number, number];
  readonly first: Position | null;
  readonly last: Position | null;
};

export type HistoryReader = {
  /**
   * At most `limit`, the nearest first. Dropped months are left out, except the first events of grants
   * (`AuthorizationCodeIssued` as the only type), which are never dropped.
   */
  references(
    about: About,
    from: FromPlace,
    limit: number,
    filters?: ReferenceFilters,
  ): Promise<readonly Reference[]>;
  /**
   * The first events of grants for these users' own records, in the order of the log.
   * @param filters only of this add-on; until when (of the log, inclusive)
   */
  ownGrants(
    userIds: readonly string[],
    filters: { readonly addonId?: string | undefined; readonly to?: number | undefined },
  ): Promise<readonly Reference[]>;
  /** References to the events of an actor (a user or one of Grantbook's own names), whatever their subjects. */
  acted(
    actor: string,
    from: FromPlace,
    limit: number,
    filters?: Pick<ReferenceFilters, 'eventTypes' | 'from' | 'to'>,
  ): Promise<readonly Reference[]>;
  /** The position up to which all events are included. */
  checkpoint(): Promise<Position | null>;
  /** Ordered from the oldest. */
  droppedMonths(): Promise<readonly DroppedMonth[]>;
};

type Row = {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  /** Exactly one is set: `number` from `history_events`, or `type` from `history_references`. */
  readonly number: number | null;
  readonly type: EventType | null;
  readonly organizationId: string | null;
  readonly addonId: string | null;
  readonly userId: string | null;
};

export const makeHistoryReader = (reader: PipelinedReader): HistoryReader => ({
  async references(about, from, limit, filters = {}) {
    const { eventTypes, concerning = [], actor, from: since = 0, to = forEver } = filters;
    const [{ kind, id } = about, ...others] = [about, ...concerning].toSorted(rarestFirst);
    const otherKinds = others.map((other) => other.kind);
    const otherIds = others.map((other) => other.id);
    if (isIssuesOnly(filters)) {
      const values = [id, placeOf(from), limit, since, to, otherKinds, otherIds];
      return (await reader.query<Row>(historyIssues[from.order][kind], values)).map(toReference);
    }
    const numbers = eventTypes?.flatMap((type) => numberOfType(type) ?? []) ?? null;
    const values = [
      id,
      historyKey(id),
      placeOf(from),
      limit,
      since,
      to,
      actor ?? null,
      numbers,
      eventTypes ?? null,
      otherKinds,
      otherIds,
    ];
    return (await reader.query<Row>(historyPages[from.order][kind], values)).map(toReference);
  },
  async ownGrants(userIds, { addonId, to = forEver }) {
    const values = [userIds, addonId ?? null, to];
    return (await reader.query<Row>(historyOwnGrants, values)).map(toReference);
  },
  async acted(actor, from, limit, { eventTypes, from: since = 0, to = forEver } = {}) {
    const numbers = eventTypes?.flatMap((type) => numberOfType(type) ?? []) ?? null;
    const values = [actor, placeOf(from), limit, since, to, numbers, eventTypes ?? null];
    return (await reader.query<Row>(historyActed[from.order], values)).map(toReference);
  },
  checkpoint: async () => checkpointOf(await reader.query<CheckpointRow>(readCheckpoint, [historyGroup])),
  droppedMonths: async () =>
    (await reader.query<DroppedRow>(droppedMonths, [])).map(({ month, first, last }) => ({
      month,
      bounds: boundsOf(month),
      first: first === null ? null : eventAt(first),
      last: last === null ? null : eventAt(last),
    })),
});

const forEver = (2n ** 63n - 1n).toString();

/** The first events of grants are in `history_streams`, which is small and never dropped. */
const isIssuesOnly = ({ eventTypes, actor }: ReferenceFilters): boolean =>
  eventTypes?.length === 1 && eventTypes[0] === 'AuthorizationCodeIssued' && actor === undefined;

/** The subject with the fewest events is read, and compared with the other ones. */
const rarity: Readonly<Record<About['kind'], number>> = { grant: 0, user: 1, addon: 2, organization: 3 };
const rarestFirst = (a: About, b: About): number => rarity[a.kind] - rarity[b.kind];

/** Commit and prepare of an event are the same; those of a checkpoint may differ, then the event at commit comes after it. */
const placeOf = (from: FromPlace): bigint => {
  if (from.order === 'forward') {
    if (from.after === null) return -1n;
    const { commit, prepare } = from.after;
    return leastOf(prepare < commit ? commit - 1n : commit, endOfLog);
  }
  return leastOf(from.before?.commit ?? endOfLog, endOfLog);
};

const endOfLog = 2n ** 63n - 1n;
const leastOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);

type DroppedRow = { readonly month: string; readonly first: string | null; readonly last: string | null };

const droppedMonths = {
  name: 'history-dropped',
  text: 'select month, first_position as first, last_position as last from history_dropped order by month',
};

const eventAt = (position: string): Position => ({ commit: BigInt(position), prepare: BigInt(position) });

const toReference = ({ position, revision, stream, number, type, ...owner }: Row): Reference => ({
  position: eventAt(position),
  stream,
  revision: BigInt(revision),
  type: type ?? typeOfNumber(number ?? 0),
  owner: Object.values(owner).some((id) => id !== null) ? owner : null,
});
