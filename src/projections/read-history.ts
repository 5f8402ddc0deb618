import type { About, Owner } from '../domain/concerns.ts';
import type { EventType } from '../domain/events.ts';
import type { Position } from '../eventstore/event-store.ts';
import { checkpointOf, readCheckpoint, type CheckpointRow } from './checkpoint.ts';
import { historyGroup } from './history.ts';
import type { ReadLane } from './read-lane.ts';

/** An event that concerns what was asked about, without what is in it. */
export type Reference = {
  readonly position: Position;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: EventType;
  readonly owner: Owner | null;
};

/** All of them must hold; times are of the log, in milliseconds since the Unix epoch, both inclusive. */
export type ReferenceFilters = {
  readonly eventTypes?: readonly EventType[];
  /** What it is about besides. */
  readonly concerning?: readonly About[];
  readonly actor?: string;
  readonly from?: number;
  readonly to?: number;
};

/** Exclusive; without a place, from the beginning or from the end. */
export type FromPlace =
  | { readonly order: 'forward'; readonly after: Position | null }
  | { readonly order: 'backward'; readonly before: Position | null };

export type HistoryReader = {
  /** At most `limit`, the nearest first. */
  references(
    about: About,
    from: FromPlace,
    limit: number,
    filters?: ReferenceFilters,
  ): Promise<readonly Reference[]>;
  /** Up to where all is referred to. */
  checkpoint(): Promise<Position | null>;
};

type Row = {
  readonly commit: string;
  readonly prepare: string;
  readonly stream: string;
  readonly revision: string;
  readonly type: EventType;
  readonly owned: boolean;
  readonly organizationId: string | null;
  readonly addonId: string | null;
  readonly userId: string | null;
};

export const makeHistoryReader = (lane: ReadLane): HistoryReader => ({
  async references(about, from, limit, { eventTypes, concerning = [], actor, from: since, to } = {}) {
    const [{ kind, id } = about, ...others] = [about, ...concerning].toSorted(rarestFirst);
    const place = from.order === 'forward' ? (from.after ?? beforeAll) : (from.before ?? afterAll);
    const grantsOnly = eventTypes?.length === 1 && eventTypes[0] === 'AuthorizationCodeIssued';
    const statement = statements[from.order][grantsOnly ? 'grants' : 'all'];
    const values = [
      kind,
      id,
      place.commit,
      place.prepare,
      limit,
      eventTypes ?? null,
      actor ?? null,
      since ?? null,
      to ?? null,
      others.map((other) => other.kind),
      others.map((other) => other.id),
    ];
    return (await lane.query<Row>(statement, values)).map(toReference);
  },
  checkpoint: async () => checkpointOf(await lane.query<CheckpointRow>(readCheckpoint, [historyGroup])),
});

/** What has few events is looked through, to be compared with what has many. */
const rarity: Readonly<Record<About['kind'], number>> = { grant: 0, user: 1, addon: 2, organization: 3 };
const rarestFirst = (a: About, b: About): number => rarity[a.kind] - rarity[b.kind];

const beforeAll: Position = { commit: -1n, prepare: -1n };
const afterAll: Position = { commit: 2n ** 64n, prepare: 0n };

const toReference = ({ commit, prepare, revision, stream, type, owned, ...owner }: Row): Reference => ({
  position: { commit: BigInt(commit), prepare: BigInt(prepare) },
  stream,
  revision: BigInt(revision),
  type,
  owner: owned ? owner : null,
});

const text = (beyond: '<' | '>', order: '' | ' desc', only: string) => `
  select commit_position as commit, prepare_position as prepare, history.stream, revision, type,
         history_owners.stream is not null as owned, organization_id as "organizationId", addon_id as "addonId",
         user_id as "userId"
  from (
    select * from history
    where kind = $1 and id = $2 and (commit_position, prepare_position) ${beyond} ($3::numeric, $4::numeric)
      and ($6::text[] is null or type = any($6)) and ($7::text is null or actor = $7)
      and ($8::bigint is null or created >= $8) and ($9::bigint is null or created <= $9) ${only}
      and not exists (
        select from unnest($10::text[], $11::text[]) as other (kind, id)
        where not exists (
          select from history as same
          where same.kind = other.kind and same.id = other.id
            and same.commit_position = history.commit_position and same.prepare_position = history.prepare_position))
    order by commit_position${order}, prepare_position${order} limit $5) as history
  left join history_owners on history_owners.stream = history.stream
  order by commit_position${order}, prepare_position${order}`;

const grantsOnly = "and type = 'AuthorizationCodeIssued'";

const statements = {
  forward: {
    all: { name: 'history-forward', text: text('>', '', '') },
    grants: { name: 'history-grants-forward', text: text('>', '', grantsOnly) },
  },
  backward: {
    all: { name: 'history-backward', text: text('<', ' desc', '') },
    grants: { name: 'history-grants-backward', text: text('<', ' desc', grantsOnly) },
  },
};
