import { idOf } from '../../domain/kernel/stream-name.ts';
import { columnsOf, defineProjection, type Tx } from '../follow/projection.ts';
import { wordsIn } from '../kernel/name-words.ts';

type Named = { readonly publisherId: string; readonly name: string; readonly words: string };
type Membership = {
  readonly publisherId: string;
  readonly userId: string;
  readonly source: string;
  /** Null: not, or no longer, a member. */
  readonly since: number | null;
};
type Bound = { readonly addonId: string; readonly publisherId: string | null; readonly since: number };
type Waiting = {
  readonly addonId: string;
  readonly changeId: string;
  readonly since: number;
  readonly waits: boolean;
};

type Changes = {
  readonly created: (Named & { readonly createdAt: number })[];
  readonly renamed: Map<string, Named>;
  readonly members: Map<string, Membership>;
  readonly bound: Map<string, Bound>;
  readonly waiting: Map<string, Waiting>;
};

const keepMember = ({ members }: Changes, { publisherId, userId, source, since }: Membership) =>
  members.set(`${publisherId} ${userId} ${source}`, { publisherId, userId, source, since });

const keepWaiting = (
  { waiting }: Changes,
  stream: string,
  { changeId, at }: { readonly changeId: string; readonly at: number },
  waits: boolean,
) => waiting.set(changeId, { addonId: idOf(stream), changeId, since: at, waits });

/** Publishers, their members and add-ons, and the changes that wait for an operator. */
export const publishers = defineProjection<Changes>({
  name: 'publishers',
  empty: () => ({
    created: [],
    renamed: new Map(),
    members: new Map(),
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
    PublisherMemberAdded: (changes, { userId, source, at }, { stream }) => {
      keepMember(changes, { publisherId: idOf(stream), userId, source, since: at });
    },
    PublisherMemberRemoved: (changes, { userId, source }, { stream }) => {
      keepMember(changes, { publisherId: idOf(stream), userId, source, since: null });
    },
    AddonPublisherSet: ({ bound }, { publisherId, at }, { stream }) => {
      bound.set(idOf(stream), { addonId: idOf(stream), publisherId, since: at });
    },
    AddonChangeRequested: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data, true);
    },
    AddonChangeApproved: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data, false);
    },
    AddonChangeRefused: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data, false);
    },
    AddonChangeWithdrawn: (changes, data, { stream }) => {
      keepWaiting(changes, stream, data, false);
    },
  },
  async write(tx, { created, renamed, members, bound, waiting }) {
    if (created.length > 0)
      await tx.query(insertPublishers, [
        ...columnsOf(created, ['publisherId', 'name', 'words', 'createdAt']),
      ]);
    if (renamed.size > 0)
      await tx.query(renamePublishers, [
        ...columnsOf([...renamed.values()], ['publisherId', 'name', 'words']),
      ]);
    await replace(tx, members, ({ since }) => since !== null, deleteMembers, insertMembers, [
      'publisherId',
      'userId',
      'source',
      'since',
    ]);
    await replace(tx, bound, ({ publisherId }) => publisherId !== null, deleteBound, insertBound, [
      'addonId',
      'publisherId',
      'since',
    ]);
    await replace(tx, waiting, ({ waits }) => waits, deleteWaiting, insertWaiting, [
      'addonId',
      'changeId',
      'since',
    ]);
  },
});

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
  delete from waiting_changes using unnest($1::text[], $2::text[], $3::bigint[]) as change (addon_id, change_id, since)
  where waiting_changes.addon_id = change.addon_id and waiting_changes.change_id = change.change_id`;

const insertWaiting = `
  insert into waiting_changes (addon_id, change_id, since)
  select * from unnest($1::text[], $2::text[], $3::bigint[])`;
