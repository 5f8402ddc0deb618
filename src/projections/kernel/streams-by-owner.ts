import { inTransaction, statement } from '../../common/transaction.ts';
import { organizationAskedIn } from '../../domain/log/audit-query.ts';
import { isOfRecord, recordCategories } from '../../domain/records/each-record.ts';
import { recordChangeIn } from '../../domain/records/record-change.ts';
import { categoryOf, idsOf, isOfCategory, prefixOf } from '../../domain/kernel/stream-name.ts';
import type { Position, StoredEvent } from '../../eventstore/event-store.ts';
import {
  checkpointOf,
  moveCheckpoint,
  readCheckpoint,
  type CheckpointRow,
  type Lease,
} from '../follow/checkpoint.ts';
import { columnsOf, type Tx } from '../follow/projection.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

export const streamsGroup = 'owned-streams';

/** Categories whose streams are named `category-<owner>.<id>`. */
export const ownedCategories = ['activation', 'consent', ...recordCategories] as const;
export type OwnedCategory = (typeof ownedCategories)[number];

export type KnownStream = { readonly stream: string; readonly first: Position };

export type KnownEvent = { readonly stream: string; readonly revision: bigint; readonly position: Position };

/** An event after which a record is there or not, and belongs to a user or a profile (null: to none). */
export type OwnerChange = KnownEvent & {
  readonly id: string;
  readonly created: number;
  readonly present: boolean;
  readonly owner: string | null;
};

/** Where in the log the streams and events of an owner are. */
export type StreamsByOwner = {
  /** The streams of these categories, in the order of their first events. */
  streams(ownerId: string, categories: readonly OwnedCategory[]): Promise<readonly KnownStream[]>;
  /** The changes of an organization's records of these categories after a position, in the order of the log. */
  ownerChanges(
    organizationId: string,
    categories: readonly string[],
    after: Position | null,
    limit: number,
  ): Promise<readonly OwnerChange[]>;
  /** Everybody a record of this category ever belonged to, until a position and time (milliseconds), both inclusive. */
  everyOwner(
    organizationId: string,
    category: string,
    until: { readonly position: Position; readonly time: number },
  ): Promise<readonly string[]>;
  /** The audit queries about an organization (`AuditQueried`), in the order of the log. */
  questions(organizationId: string): Promise<readonly KnownEvent[]>;
  /** The position up to which everything is known. */
  checkpoint(): Promise<Position | null>;
};

/** The streams of the log that are indexed. */
export const ownedStreams = [...ownedCategories, 'audit'].map((category) => ({ prefix: prefixOf(category) }));

export type OwnedPlace = { readonly owner: string; readonly place: string; readonly first: Position };

type Seen = Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'created' | 'type' | 'data'>;

/** Null for a record's event, and for one without an owner. It uses only names, and the organization of an audit query. */
export const ownedPlaceIn = ({ stream, revision, position: first, data }: Seen): OwnedPlace | null => {
  if (isOfCategory(stream, 'audit')) {
    const owner = organizationAskedIn(data);
    return owner === null ? null : { owner, place: `${stream}@${revision}`, first };
  }
  const [owner] = idsOf(stream);
  return owner === '' || isOfRecord(stream) ? null : { owner, place: stream, first };
};

/** Null for an event that is no record's, and for one that changes nothing but content. */
export const ownerChangeIn = (event: Seen): OwnerChange | null => {
  const { stream, revision, position, created } = event;
  if (!isOfRecord(stream)) return null;
  const change = recordChangeIn(event);
  // An event of a newer version may begin the stream, too.
  if (change === null && revision > 0n) return null;
  const { present, owner } = change ?? { present: false, owner: null };
  return { stream, revision, position, created, id: idsOf(stream)[1], present, owner };
};

type Row = { readonly place: string; readonly commit: string; readonly prepare: string };

export const makeStreamsByOwner = (reader: PipelinedReader): StreamsByOwner => {
  const places = (ownerId: string, categories: readonly string[]) =>
    reader.query<Row>(selectPlaces, [
      ownerId,
      categories.map((category) => `${prefixOf(category)}%`),
      categories,
    ]);
  return {
    streams: async (ownerId, categories) =>
      (await places(ownerId, categories)).map((row) => ({ stream: row.place, first: positionOf(row) })),
    async ownerChanges(organizationId, categories, after, limit) {
      const values = [organizationId, categories, after?.commit ?? -1, limit];
      const rows = await reader.query<OwnerRow>(selectChanges, values);
      return rows.map((row) => toChange(organizationId, row));
    },
    async everyOwner(organizationId, category, { position, time }) {
      const values = [organizationId, category, position.commit, time];
      return (await reader.query<{ readonly owner: string }>(selectOwners, values)).map(({ owner }) => owner);
    },
    questions: async (organizationId) =>
      (await places(organizationId, ['audit'])).map((row) => {
        const [stream = '', revision = ''] = row.place.split('@');
        return { stream, revision: BigInt(revision), position: positionOf(row) };
      }),
    checkpoint: async () => checkpointOf(await reader.query<CheckpointRow>(readCheckpoint, [streamsGroup])),
  };
};

const positionOf = ({ commit, prepare }: Omit<Row, 'place'>): Position => ({
  commit: BigInt(commit),
  prepare: BigInt(prepare),
});

const selectPlaces = {
  name: 'streams-by-owner',
  text: `select place, commit_position as commit, prepare_position as prepare from streams_by_owner
         where owner_id = $1 and place like any($2::text[])
         union all
         select category || '-' || organization_id || '.' || id, min(position), min(position) from record_owners
         where organization_id = $1 and category = any($3::text[])
         group by organization_id, category, id
         order by commit, prepare`,
};

type OwnerRow = Record<'category' | 'id' | 'position' | 'created', string> & {
  readonly revision: number;
  readonly present: boolean;
  readonly owner: string | null;
};

const toChange = (
  organizationId: string,
  { category, revision, position, created, ...change }: OwnerRow,
): OwnerChange => ({
  ...change,
  stream: `${prefixOf(category)}${organizationId}.${change.id}`,
  revision: BigInt(revision),
  position: positionOf({ commit: position, prepare: position }),
  created: Number(created),
});

const selectChanges = statement('record-owners')`
  select category, id, revision, position, created, present, owner from record_owners
  where organization_id = $1 and category = any($2::text[]) and position > $3::bigint
  order by position limit $4`;

const selectOwners = statement('every-record-owner')`
  select distinct owner from record_owners
  where organization_id = $1 and category = $2 and owner is not null
    and position <= $3::numeric and created <= $4::double precision`;

/** What a part of the log adds to the index. */
export type OwnedPart = {
  readonly from: Position | null;
  readonly to: Position;
  readonly places: readonly OwnedPlace[];
  /** In the order of the log. */
  readonly changes: readonly OwnerChange[];
};

/** Stores places and owners, and the checkpoint with them. @throws LeaseLost when another leads: nothing was stored */
export const writeStreamsByOwner = async (
  tx: Tx,
  lease: Lease,
  { from, to, places, changes }: OwnedPart,
): Promise<void> => {
  const rows = places.map(({ owner, place, first }) => ({ owner, place, ...first }));
  await inTransaction(tx, async () => {
    await moveCheckpoint(tx, lease, from, to);
    if (rows.length > 0)
      await tx.query({
        name: 'insert-streams-by-owner',
        text: insertPlaces,
        values: [...columnsOf(rows, ['owner', 'place', 'commit', 'prepare'])],
      });
    if (changes.length > 0)
      await tx.query({
        name: 'insert-record-owners',
        text: insertChanges,
        values: [...columnsOf(changedRows(changes), changedColumns)],
      });
  });
};

const insertPlaces = `
  insert into streams_by_owner (owner_id, place, commit_position, prepare_position)
  select * from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[])
  on conflict (owner_id, place) do nothing`;

const changedColumns = [
  'organizationId',
  'category',
  'id',
  'revision',
  'commit',
  'created',
  'present',
  'owner',
  'isFirst',
] as const;

type ChangedRow = Omit<OwnerChange, 'position' | 'stream'> & {
  readonly organizationId: string;
  readonly category: string;
  readonly commit: bigint;
  /** Whether it is the first of its record in this part; only that one is compared with the table. */
  readonly isFirst: boolean;
};

/** Without those that leave everything as it is. */
const changedRows = (changes: readonly OwnerChange[]): readonly ChangedRow[] => {
  const last = new Map<string, OwnerChange>();
  const rows: ChangedRow[] = [];
  for (const change of changes) {
    const { stream, position, ...rest } = change;
    const before = last.get(stream);
    last.set(stream, change);
    if (before?.present === change.present && before.owner === change.owner) continue;
    const [organizationId] = idsOf(stream);
    const names = { organizationId, category: categoryOf(stream) };
    rows.push({ ...rest, ...names, commit: position.commit, isFirst: before === undefined });
  }
  return rows;
};

const insertChanges = `
  insert into record_owners (organization_id, category, id, revision, position, created, present, owner)
  select new.organization_id, new.category, new.id, new.revision, new.position, new.created, new.present, new.owner
  from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::boolean[], $8::text[], $9::boolean[])
    as new (organization_id, category, id, revision, position, created, present, owner, is_first)
  left join lateral (
    select present, owner from record_owners as known
    where known.organization_id = new.organization_id and known.category = new.category and known.id = new.id
      and known.revision < new.revision
    order by known.revision desc limit 1) as before on new.is_first
  where before.present is null or before.present <> new.present or before.owner is distinct from new.owner
  on conflict (organization_id, category, id, revision) do nothing`;
