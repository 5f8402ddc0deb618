import type { GrantState } from '../../domain/access/grant.ts';
import { scopesAmong } from '../../domain/access/scope.ts';
import { lastReadOf, unusedSinceOf } from '../read-counts/last-used.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import {
  countMatching,
  listEnd,
  pageStatement,
  type Condition,
  type SortedList,
} from '../kernel/sorted-list.ts';
import type { GrantFilter, GrantRow, ReadModels } from '../read-models.ts';
import { isLive } from './live-grants.ts';

/** Grants by issue, a page at a time, as the read models know: the log and the fence know what has ended since. */
export const readGrants =
  (reader: PipelinedReader, now: () => number): ReadModels['grants'] =>
  async (filter, { after, limit, isBack = false }) => {
    const { name, where, values } = conditionOf(filter, now());
    const sort = isBack ? '-issued_at' : 'issued_at';
    const statement = { name: `${name} ${sort}`, text: pageStatement(grantList, where, sort) };
    const begin = after ?? (isBack ? listEnd : '');
    const rows = await reader.query<Stored>(statement, [begin, limit, ...values]);
    return rows.map(({ id: _id, scopes, issuedAt, lastTokenAt, lastReadAt, ...row }) => ({
      ...row,
      scopes: scopesAmong(scopes),
      issuedAt: Number(issuedAt),
      lastTokenAt: numberOf(lastTokenAt),
      lastReadAt: numberOf(lastReadAt),
    }));
  };

const numberOf = (instant: string | null): number | null => (instant === null ? null : Number(instant));

type Stored = Omit<GrantRow, 'issuedAt' | 'lastTokenAt' | 'lastReadAt' | 'scopes'> & {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly issuedAt: string;
  readonly lastTokenAt: string | null;
  readonly lastReadAt: string | null;
};

export const countGrants =
  (reader: PipelinedReader, now: () => number): ReadModels['countGrants'] =>
  (filter, most) =>
    countMatching(reader, grantList.table, conditionOf(filter, now()), most);

export const conditionOf = (
  { about, addonId, userId, state, unused: asked }: GrantFilter,
  now: number,
): Condition => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 2}`;
  const parts = [
    ...(about ? [`${columns[about.kind]} = ${value(about.id)}`] : []),
    ...(addonId === undefined ? [] : [`addon_id = ${value(addonId)}`]),
    ...(userId === undefined ? [] : [`user_id = ${value(userId)}`]),
    ...(state === undefined ? [] : [inState[state](() => value(now))]),
    ...(asked ? [unused(value(asked.since), value(asked.countedSince))] : []),
  ];
  const given = [addonId, userId, asked].map((each) => each !== undefined);
  return { name: `grants-${[about?.kind, state, ...given].join('-')}`, where: parts.join(' and '), values };
};

const inState: { readonly [S in GrantState]: (now: () => string) => string } = {
  active: (now) => isLive(now()),
  expired: (now) => `(status <> 'ended' and expires_at <= ${now()}::bigint)`,
  revoked: () => `status = 'ended'`,
};

const columns = { organization: 'organization_id', user: 'user_id', addon: 'addon_id', grant: 'grant_id' };

const lastToken = 'greatest(redeemed_at, refreshed_at)';
const lastRead = lastReadOf('grants.grant_id');

/** SQL for whether a row of `grants` was unused since then. */
export const unused = (since: string, countedSince: string): string =>
  `${unusedSinceOf({ lastRead, issued: 'issued_at', lastToken, scopes: 'scopes', countedSince })} < ${since}::bigint`;

export const grantList: SortedList = {
  table: 'grants',
  id: 'grant_id',
  keys: {},
  columns: `, grant_id as "grantId", addon_id as "addonId", user_id as "userId", organization_id as "organizationId",
         scopes, status = 'ended' as "hasEnded", issued_at as "issuedAt", ${lastToken} as "lastTokenAt",
         ${lastRead} as "lastReadAt"`,
};
