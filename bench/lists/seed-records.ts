import pg from 'pg';
import {
  accessRightId,
  accessRightTemplate,
  goneInSql,
  marks,
  profileId,
  profileTemplate,
  type RecordSeed,
} from './seeded-records.ts';

/**
 * Writes the records into the read models as if their events had been projected: rows, users' places, totals and
 * blocks. No event is written, so a later projection or rebuild of this organization's records does not know them.
 */
export const seedRecords = async (databaseUrl: string, seed: RecordSeed): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("begin; set local work_mem = '256MB'");
    await client.query(seededProfiles(seed));
    await client.query(seededRights(seed));
    await client.query(putProfiles, [seed.organizationId]);
    await client.query(putRights, [seed.organizationId, accessRightTemplate(seed)]);
    await client.query(putRemovals, [seed.organizationId]);
    await client.query(memberships);
    await client.query(putLists, [seed.organizationId]);
    for (const level of [0, 1]) await client.query(putBlocks(level), [seed.organizationId]);
    await client.query('commit');
    // Otherwise autovacuum would do it during a measurement.
    await client.query('vacuum (analyze) profiles, access_rights, lists, list_blocks, list_removals');
  } finally {
    await client.end();
  }
};

const seededProfiles = (seed: RecordSeed): string => {
  const profiles = seed.userIds.map((userId, turn) => {
    const id = profileId(turn);
    return { turn, id, user_id: userId, item: profileTemplate(seed, id, userId) };
  });
  return `
    create temp table seeded_profiles on commit drop as
    select *, ${positionAt(seed, 'turn')} as position, ${timeAt(seed, 'turn')} as created_at,
           row_number() over (partition by user_id order by turn) - 1 as user_ordinal
    from json_to_recordset(${literal(JSON.stringify(profiles))})
      as profile (turn bigint, id text, user_id text, item text)`;
};

/** Includes removed ones: they got ordinals, and were removed after all others were added. */
const seededRights = (seed: RecordSeed): string => {
  const first = seed.userIds.length;
  const removal = `${first + seed.records} + row_number() over (partition by gone order by index) - 1`;
  return `
    create temp table seeded_rights on commit drop as
    select *, ${positionAt(seed, removal)} as gone_at,
           ${seed.from.created}::bigint + (${removal}) * ${seed.step.created} as gone_time,
           row_number() over (partition by user_id order by index) - 1 as user_ordinal
    from (select index, ${literal(accessRightId(''))} || index as id, profile.id as profile_id, profile.user_id,
                 ${positionAt(seed, `${first} + index`)} as position, ${timeAt(seed, `${first} + index`)} as created_at,
                 ${goneInSql('index', String(seed.records))} as gone
          from generate_series(0, ${seed.records - 1}) as index
          join seeded_profiles as profile on profile.turn = index % ${first}) as recorded
    order by index`;
};

const positionAt = ({ from, step }: RecordSeed, event: string): string =>
  `${from.position}::bigint + (${event}) * ${step.position}`;
const timeAt = ({ from, step }: RecordSeed, event: string): string =>
  `to_char(to_timestamp((${from.created} + (${event}) * ${step.created}::bigint) / 1000.0) at time zone 'utc',
           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const literal = (text: string): string => pg.escapeLiteral(text);

const itemAt = (template: string): string => `replace(${template}, '${marks.time}', created_at)`;
const ofUser = (column: string): string => `case when user_id is not null then ${column} end`;

const putProfiles = `
  insert into profiles (organization_id, id, ordinal, entered, user_id, user_ordinal, user_entered, revision, created_at, item, changed)
  select $1, id, turn, position, user_id, ${ofUser('user_ordinal')}, ${ofUser('position')}, 0, created_at,
         ${itemAt('item')}::json, position
  from seeded_profiles`;

const putRights = `
  insert into access_rights
    (organization_id, id, ordinal, entered, user_id, user_ordinal, user_entered, profile_id, revision, created_at, item, changed)
  select $1, id, index, position, user_id, ${ofUser('user_ordinal')}, ${ofUser('position')}, profile_id, 0, created_at,
         replace(replace(${itemAt('$2')}, '${marks.id}', id), '${marks.profile}', profile_id)::json, position
  from seeded_rights where not gone order by index`;

const putRemovals = `
  insert into list_removals (list, organization_id, user_id, id, ordinal, entered, removed, removed_at, again)
  select 'access_rights', $1, stay.user_id, id, stay.ordinal, position, gone_at, gone_time, false
  from seeded_rights cross join lateral (values ('', index), (user_id, user_ordinal)) as stay (user_id, ordinal)
  where gone and stay.user_id is not null`;

/** Which users are or were in which list. */
const memberships = `
  create temp view membership as
  select 'profiles' as list, '' as user_id, turn as ordinal, false as gone, position as changed from seeded_profiles
  union all
  select 'profiles', user_id, user_ordinal, false, position from seeded_profiles where user_id is not null
  union all
  select 'access_rights', '', index, gone, case when gone then gone_at else position end from seeded_rights
  union all
  select 'access_rights', user_id, user_ordinal, gone, case when gone then gone_at else position end
  from seeded_rights where user_id is not null`;

const putLists = `
  insert into lists (list, organization_id, user_id, total, next_ordinal, changed)
  select list, $1, user_id, count(*) filter (where not gone), count(*), max(changed) from membership group by list, user_id`;

/** As in 0011-lists-by-ordinal.sql: only for lists that do not fit in the first block. */
const putBlocks = (level: number): string => `
  insert into list_blocks (list, organization_id, user_id, level, block, records)
  select list, $1, user_id, ${level}, ordinal >> ${8 * (level + 1)} as block, count(*) from membership
  where not gone and exists (select from lists where lists.list = membership.list and organization_id = $1
                               and lists.user_id = membership.user_id and next_ordinal > ${256 ** (level + 1)})
  group by list, user_id, block order by list, user_id, block`;
