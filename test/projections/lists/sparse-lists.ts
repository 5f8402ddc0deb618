import type { Pool } from 'pg';

/** Lists of reservations with far fewer records than ordinals, as after many removals: a few rows fill both levels of blocks. */
export type SparseList = {
  readonly organizationId: string;
  readonly records: number;
  /** Between one ordinal and the next that there is. */
  readonly stride: number;
  /** Every so manyeth record is the user's too. */
  readonly ofUser: { readonly userId: string; readonly every: number };
  /** Where in the log the first one entered; each next one entered so much later. */
  readonly entered: { readonly from: number; readonly step: number };
};

export const putSparseList = async (pool: Pool, given: SparseList): Promise<void> => {
  const { organizationId, records, stride, ofUser, entered } = given;
  await pool.query(
    `insert into reservations
       (organization_id, id, ordinal, entered, user_id, user_ordinal, user_entered, profile_id, revision, created_at, item, changed)
     select $1, id, index * $3, entered, user_id,
            case when user_id is not null then index / $5 * $3 end, case when user_id is not null then entered end,
            'P1', 0, '2026-01-01', json_build_object('id', id), entered
     from (select index, $1 || '_' || index as id, $6::bigint + index * $7::bigint as entered,
                  case when index % $5 = 0 then $4 end as user_id
           from generate_series(0, $2::bigint - 1) as index) as record`,
    [organizationId, records, stride, ofUser.userId, ofUser.every, entered.from, entered.step],
  );
  const members = `
    (select '' as user_id, ordinal, entered from reservations where organization_id = $1
     union all
     select user_id, user_ordinal, user_entered from reservations where organization_id = $1 and user_id is not null)
    as member`;
  await pool.query(
    `insert into lists (list, organization_id, user_id, total, next_ordinal, changed)
     select 'reservations', $1, user_id, count(*), max(ordinal) + 1, max(entered) from ${members} group by user_id`,
    [organizationId],
  );
  for (const [level, bits] of [
    [0, 8],
    [1, 16],
  ])
    await pool.query(
      `insert into list_blocks (list, organization_id, user_id, level, block, records)
       select 'reservations', $1, user_id, ${level}, ordinal >> ${bits} as block, count(*) from ${members}
       where user_id in (select user_id from lists where organization_id = $1 and next_ordinal > 1 << ${bits})
       group by user_id, block`,
      [organizationId],
    );
};
