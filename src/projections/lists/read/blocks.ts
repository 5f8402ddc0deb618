import { usualFanOut } from '../write/counting.ts';
import type { ListName } from '../write/operations.ts';

/** The list in which a block is searched, and how many of its records come before the wanted one: SQL. */
export type Sought = {
  readonly list: ListName;
  readonly organization: string;
  readonly user: string;
  readonly nextOrdinal: string;
  readonly skip: string;
  /** A condition: without it nothing is searched. */
  readonly when: string;
};

/** The first ordinal of the level-0 block that `blocksOf` found. */
export const startOfLeaf = `coalesce(leaf.block, 0) * ${usualFanOut}`;

/** The blocks with a record: `top` of level 1, `leaf` of level 0, each with records `ahead`. Without rows there is one block. */
export const blocksOf = (sought: Sought): string => `
      left join lateral (${blockAt(sought, '0', `level = 1 and ${sought.nextOrdinal} > ${usualFanOut ** 2}`)}) as top on true
      left join lateral (${blockAt(
        sought,
        'coalesce(top.ahead, 0)',
        `level = 0 and ${sought.nextOrdinal} > ${usualFanOut}
           and block >= coalesce(top.block, 0) * ${usualFanOut} and block < (coalesce(top.block, 0) + 1) * ${usualFanOut}`,
      )}) as leaf on true`;

/** The running sum stops at the block. */
const blockAt = ({ list, organization, user, skip, when }: Sought, ahead: string, rows: string): string => `
        select block, ahead
        from (select block, records, ${ahead} + sum(records) over (order by block rows unbounded preceding) - records as ahead
              from list_blocks
              where list = '${list}' and organization_id = ${organization} and user_id = ${user}
                and ${rows} and ${when}) as running
        where ahead + records > ${skip} order by block limit 1`;
