import { eachRecord } from '../../../domain/records/each-record.ts';
import { columnsOf, type Tx } from '../../follow/projection.ts';
import { listNames, profilesLists, type ListName, type Operation } from './operations.ts';
import { listKey, recordKey, type ListRow, type NameOfList, type RecordRow } from './rows.ts';
import type { ProfileName } from './transfers.ts';

type Stored = {
  readonly list: ListName;
  readonly organizationId: string;
  readonly id: string;
  readonly ordinal: string;
  readonly entered: string;
  readonly userId: string | null;
  readonly userOrdinal: string | null;
  readonly userEntered: string | null;
  readonly profileId: string | null;
  readonly createdAt: string;
};

const columns = (list: ListName): string => `
  '${list}' as list, record.organization_id as "organizationId", record.id, record.ordinal, record.entered,
  record.user_id as "userId", record.user_ordinal as "userOrdinal", record.user_entered as "userEntered",
  ${list === 'profiles' ? 'null' : 'record.profile_id'} as "profileId", record.created_at as "createdAt"`;

const rowOf = (stored: Stored): RecordRow => ({
  list: stored.list,
  organizationId: stored.organizationId,
  id: stored.id,
  place: { ordinal: Number(stored.ordinal), entered: BigInt(stored.entered) },
  ofUser:
    stored.userId === null || stored.userOrdinal === null || stored.userEntered === null
      ? null
      : {
          userId: stored.userId,
          ordinal: Number(stored.userOrdinal),
          entered: BigInt(stored.userEntered),
        },
  profileId: stored.profileId,
  createdAt: stored.createdAt,
});

const query = async (
  tx: Tx,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<RecordRow[]> => {
  const { rows } = await tx.query<Stored>({ name, text, values: [...values] });
  return rows.map(rowOf);
};

/** The touched records, and the profiles that they name, as far as they exist. */
export const loadTouched = (tx: Tx, operations: readonly Operation[]): Promise<readonly RecordRow[]> => {
  const wanted = eachRecord('table', () => new Map<string, ProfileName>());
  const want = (list: ListName, organizationId: string, id: string) =>
    wanted[list].set(recordKey({ list, organizationId, id }), { organizationId, id });
  for (const { list, organizationId, id, content } of operations) {
    want(list, organizationId, id);
    const owner = content?.owner ?? null;
    if (list !== 'profiles' && owner !== null) want('profiles', organizationId, owner);
  }
  const values = listNames.flatMap((list) => columnsOf([...wanted[list].values()], ['organizationId', 'id']));
  return query(tx, 'list-records', touched, values);
};

const touched = listNames
  .map(
    (list, i) => `
      select ${columns(list)}
      from unnest($${2 * i + 1}::text[], $${2 * i + 2}::text[]) as key (organization_id, id)
      join ${list} as record on record.organization_id = key.organization_id and record.id = key.id`,
  )
  .join(' union all ');

/** The records of profiles; at most one row more than `limit` from each list. */
export const loadDependents = (
  tx: Tx,
  profiles: readonly ProfileName[],
  limit: number,
): Promise<readonly RecordRow[]> =>
  query(tx, 'records-of-profiles', dependents, [...columnsOf(profiles, ['organizationId', 'id']), limit + 1]);

const dependents = profilesLists
  .map(
    (list) => `
      (select ${columns(list)}
       from unnest($1::text[], $2::text[]) as key (organization_id, profile_id)
       join ${list} as record on record.organization_id = key.organization_id and record.profile_id = key.profile_id
       limit $3)`,
  )
  .join(' union all ');

/** The next records of one profile, in the order of their organization's list. */
export const loadNextDependents = (
  tx: Tx,
  list: ListName,
  { organizationId, id }: ProfileName,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly RecordRow[]> =>
  query(tx, `next-${list}-of-profile`, nextDependents(list), [organizationId, id, after, limit]);

const nextDependents = (list: ListName): string => `
  select ${columns(list)} from ${list} as record
  where record.organization_id = $1 and record.profile_id = $2 and record.ordinal > $3
  order by record.ordinal limit $4`;

type StoredList = { readonly [K in keyof ListRow]: ListRow[K] extends string ? ListRow[K] : string };

/** The lists that a fold may change, as far as they exist. */
export const loadLists = async (tx: Tx, names: readonly NameOfList[]): Promise<readonly ListRow[]> => {
  const distinct = [...new Map(names.map((name) => [listKey(name), name])).values()];
  const values = columnsOf(distinct, ['list', 'organizationId', 'userId']);
  const { rows } = await tx.query<StoredList>({ name: 'known-lists', text: lists, values: [...values] });
  return rows.map(({ total, nextOrdinal, changed, ...name }) => ({
    ...name,
    total: Number(total),
    nextOrdinal: Number(nextOrdinal),
    changed: BigInt(changed),
  }));
};

const lists = `
  select lists.list, lists.organization_id as "organizationId", lists.user_id as "userId", lists.total,
         lists.next_ordinal as "nextOrdinal", lists.changed
  from unnest($1::text[], $2::text[], $3::text[]) as key (list, organization_id, user_id)
  join lists on lists.list = key.list and lists.organization_id = key.organization_id and lists.user_id = key.user_id`;
