import { idOf } from '../../domain/kernel/stream-name.ts';
import { columnsOf, defineProjection, type Tx } from '../follow/projection.ts';
import { wordsIn } from '../kernel/name-words.ts';

type Named = { readonly publisherId: string; readonly name: string; readonly words: string };
type Membership = {
  readonly publisherId: string;
  readonly userId: string;
  readonly source: string;
  /** Whether it began or ended. */
  readonly begins: boolean;
  readonly at: number;
};
type Bound = { readonly addonId: string; readonly publisherId: string | null; readonly since: number };
type Waiting = {
  readonly addonId: string;
  readonly changeId: string;
  /** Who proposed it; null once it is decided. */
  readonly userId: string | null;
  readonly since: number;
};

type Changes = {
  readonly created: (Named & { readonly createdAt: number })[];
  readonly renamed: Map<string, Named>;
  readonly memberships: Membership[];
  readonly bound: Map<string, Bound>;
  readonly waiting: Map<string, Waiting>;
};

const keepWaiting = (
  { waiting }: Changes,
  stream: string,
  {
    changeId,
    at,
    by = null,
  }: { readonly changeId: string; readonly at: number; readonly by?: string | null },
) => waiting.set(changeId, { addonId: idOf(stream), changeId, userId: by, since: at });

/** Publishers, their members and add-ons, and the changes that wait for an operator. */
export const publishers = defineProjection<Changes>({
  name: 'publishers',
  empty: () => ({
    created: [],
    renamed: new Map(),
    memberships: [],
    bound: new Map(),
    waiting: new Map(),
  }),
  on: {
    PublisherCreated: ({ created }, { publisherId, name, at }) => {
      created.push({ publisherId, name, words: wordsIn(name), createdAt: at });
    },
    PublisherRenamed: ({ renamed }, { name }, { stream }) => {
      renamed.set(idOf(stream), { publisherId: idOf(stream), name, words: wordsIn(name) });
    },
    PublisherMemberAdded: ({ memberships }, data, { stream }) => {
      memberships.push({ publisherId: idOf(stream), ...data, begins: true });
    },
    PublisherMemberRemoved: ({ memberships }, data, { stream }) => {
      memberships.push({ publisherId: idOf(stream), ...data, begins: false });
    },
    AddonPublisherSet: ({ bound }, { publisherId, at }, { stream }) => {
      bound.set(idOf(stream), { addonId: idOf(stream), publisherId, since: at });
    },
    AddonChangeRequested: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data);
    },
    AddonChangeApproved: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data);
    },
    AddonChangeRefused: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data);
    },
    AddonChangeWithdrawn: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data);
    },
  },
  async write(tx, { created, renamed, memberships, bound, waiting }) {
    if (created.length > 0)
      await tx.query(insertPublishers, [
        ...columnsOf(created, ['publisherId', 'name', 'words', 'createdAt']),
      ]);
    if (renamed.size > 0)
      await tx.query(renamePublishers, [
        ...columnsOf([...renamed.values()], ['publisherId', 'name', 'words']),
      ]);
    if (memberships.length > 0) await writeMemberships(tx, memberships);
    await replace(tx, bound, ({ publisherId }) => publisherId !== null, deleteBound, insertBound, [
      'addonId',
      'publisherId',
      'since',
    ]);
    await replace(tx, waiting, ({ userId }) => userId !== null, deleteWaiting, insertWaiting, [
      'addonId',
      'changeId',
      'since',
      'userId',
    ]);
  },
});

type Member = Pick<Membership, 'publisherId' | 'userId'>;

/** Who leaves by one source may be a member by another, of an earlier batch: each change is made on what there is. */
const writeMemberships = async (tx: Tx, changes: readonly Membership[]): Promise<void> => {
  const keyOf = ({ publisherId, userId }: Member) => `${publisherId} ${userId}`;
  const { rows } = await tx.query<Member & { readonly source: string }>(selectMembers, [
    ...columnsOf(changes, ['publisherId', 'userId']),
  ]);
  const sources = new Map<string, Set<string>>();
  for (const each of [...rows, ...changes]) sources.set(keyOf(each), new Set());
  for (const row of rows) sources.get(keyOf(row))?.add(row.source);
  const [members, left] = [new Map<string, Membership>(), new Map<string, Membership>()];
  for (const change of changes) {
    const key = keyOf(change);
    members.set(`${key} ${change.source}`, change);
    if (change.begins) sources.get(key)?.add(change.source);
    else sources.get(key)?.delete(change.source);
    if (sources.get(key)?.size === 0) left.set(key, change);
  }
  await replace(tx, members, ({ begins }) => begins, deleteMembers, insertMembers, [
    'publisherId',
    'userId',
    'source',
    'at',
  ]);
  if (left.size > 0)
    await tx.query(upsertLeaves, [...columnsOf([...left.values()], ['publisherId', 'userId', 'at'])]);
};

/** Removes the rows of these keys, and adds those that hold. */
const replace = async <Row extends object>(
  tx: Tx,
  rows: ReadonlyMap<string, Row>,
  isThere: (row: Row) => boolean,
  remove: string,
  add: string,
  columns: readonly (keyof Row & string)[],
): Promise<void> => {
  const all = [...rows.values()];
  if (all.length === 0) return;
  await tx.query(remove, [...columnsOf(all, columns)]);
  const there = all.filter(isThere);
  if (there.length > 0) await tx.query(add, [...columnsOf(there, columns)]);
};

const insertPublishers = `
  insert into publishers (publisher_id, name, words, created_at)
  select publisher_id, name, words::text[], created_at
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as made (publisher_id, name, words, created_at)
  on conflict do nothing`;

const renamePublishers = `
  update publishers set name = change.name, words = change.words::text[]
  from unnest($1::text[], $2::text[], $3::text[]) as change (publisher_id, name, words)
  where publishers.publisher_id = change.publisher_id`;

const selectMembers = `
  select publisher_id as "publisherId", user_id as "userId", source from publisher_members
  where (publisher_id, user_id) in (select * from unnest($1::text[], $2::text[]))`;

const upsertLeaves = `
  insert into publisher_leaves (publisher_id, user_id, left_at)
  select * from unnest($1::text[], $2::text[], $3::bigint[])
  on conflict (publisher_id, user_id) do update set left_at = excluded.left_at`;

const deleteMembers = `
  delete from publisher_members
  using unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as change (publisher_id, user_id, source, since)
  where publisher_members.publisher_id = change.publisher_id and publisher_members.user_id = change.user_id
    and publisher_members.source = change.source`;

const insertMembers = `
  insert into publisher_members (publisher_id, user_id, source, since)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`;

const deleteBound = `
  delete from publisher_addons using unnest($1::text[], $2::text[], $3::bigint[]) as change (addon_id, publisher_id, since)
  where publisher_addons.addon_id = change.addon_id`;

const insertBound = `
  insert into publisher_addons (addon_id, publisher_id, since)
  select * from unnest($1::text[], $2::text[], $3::bigint[])`;

const deleteWaiting = `
  delete from waiting_changes using unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) as change (addon_id, change_id, since, user_id)
  where waiting_changes.addon_id = change.addon_id and waiting_changes.change_id = change.change_id`;

const insertWaiting = `
  insert into waiting_changes (addon_id, change_id, since, user_id)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`;
