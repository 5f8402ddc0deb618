import { inTransaction } from '../common/transaction.ts';
import { organizationAskedIn } from '../domain/audit-query.ts';
import { recordCategories } from '../domain/each-record.ts';
import { idsOf, isOfCategory, prefixOf } from '../domain/stream-name.ts';
import type { Position, StoredEvent } from '../eventstore/event-store.ts';
import {
  checkpointOf,
  moveCheckpoint,
  readCheckpoint,
  type CheckpointRow,
  type Lease,
} from './checkpoint.ts';
import { columnsOf, type Tx } from './projection.ts';
import type { PipelinedReader } from './pipelined-reader.ts';

/** Name of the checkpoint. */
export const streamsGroup = 'streams';

/** Categories whose streams are named `category-<owner>.<id>`. */
export const ownedCategories = ['activation', 'consent', ...recordCategories] as const;
export type OwnedCategory = (typeof ownedCategories)[number];

/** A stream, and where it begins. */
export type KnownStream = { readonly stream: string; readonly first: Position };

/** One event of a stream. */
export type KnownEvent = { readonly stream: string; readonly revision: bigint; readonly position: Position };

/** Where in the log the streams and events of an owner are. */
export type StreamsByOwner = {
  /** The streams of these categories, in the order of their first events. */
  streams(ownerId: string, categories: readonly OwnedCategory[]): Promise<readonly KnownStream[]>;
  /** The audit queries about an organization (`AuditQueried`), in the order of the log. */
  questions(organizationId: string): Promise<readonly KnownEvent[]>;
  /** The position up to which everything is known. */
  checkpoint(): Promise<Position | null>;
};

/** The streams of the log that are indexed. */
export const ownedStreams = [...ownedCategories, 'audit'].map((category) => ({ prefix: prefixOf(category) }));

/** A row: the owner, and the place. */
export type OwnedPlace = { readonly owner: string; readonly place: string; readonly first: Position };

/** Null for an event without an owner. It uses only names, and the organization of an audit query. */
export const ownedPlaceIn = (
  event: Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'data'>,
): OwnedPlace | null => {
  const { stream, revision, position: first } = event;
  if (isOfCategory(stream, 'audit')) {
    const owner = organizationAskedIn(event.data);
    return owner === null ? null : { owner, place: `${stream}@${revision}`, first };
  }
  const [owner] = idsOf(stream);
  return owner === '' ? null : { owner, place: stream, first };
};

type Row = { readonly place: string; readonly commit: string; readonly prepare: string };

export const makeStreamsByOwner = (reader: PipelinedReader): StreamsByOwner => {
  const places = (ownerId: string, patterns: readonly string[]) =>
    reader.query<Row>(select, [ownerId, patterns]);
  return {
    async streams(ownerId, categories) {
      const rows = await places(
        ownerId,
        categories.map((category) => `${prefixOf(category)}%`),
      );
      return rows.map((row) => ({ stream: row.place, first: positionOf(row) }));
    },
    async questions(organizationId) {
      return (await places(organizationId, [`${prefixOf('audit')}%`])).map((row) => {
        const [stream = '', revision = ''] = row.place.split('@');
        return { stream, revision: BigInt(revision), position: positionOf(row) };
      });
    },
    checkpoint: async () => checkpointOf(await reader.query<CheckpointRow>(readCheckpoint, [streamsGroup])),
  };
};

const positionOf = ({ commit, prepare }: Row): Position => ({
  commit: BigInt(commit),
  prepare: BigInt(prepare),
});

const select = {
  name: 'streams-by-owner',
  text: `select place, commit_position as commit, prepare_position as prepare from streams_by_owner
         where owner_id = $1 and place like any($2::text[])
         order by commit_position, prepare_position`,
};

/**
 * Stores places and moves the checkpoint with them, from where this leader left it.
 * @throws LeaseLost when another one leads: nothing was stored
 */
export const writeStreamsByOwner = async (
  tx: Tx,
  lease: Lease,
  {
    from,
    to,
    places,
  }: { readonly from: Position | null; readonly to: Position; readonly places: readonly OwnedPlace[] },
): Promise<void> => {
  const rows = places.map(({ owner, place, first: { commit, prepare } }) => ({
    owner,
    place,
    commit,
    prepare,
  }));
  await inTransaction(tx, async () => {
    await moveCheckpoint(tx, lease, from, to);
    if (rows.length > 0)
      await tx.query({
        name: 'insert-streams-by-owner',
        text: insert,
        values: [...columnsOf(rows, ['owner', 'place', 'commit', 'prepare'])],
      });
  });
};

const insert = `
  insert into streams_by_owner (owner_id, place, commit_position, prepare_position)
  select * from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[])
  on conflict (owner_id, place) do nothing`;
