import { lastReadOf, unusedSinceOf } from '../read-counts/last-used.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { GrantFilter, GrantRow, ReadModels } from '../read-models.ts';
import { readScopes, storedIn } from './stored-scopes.ts';

/** Grants by issue, a page at a time, as the read models know: the log and the fence know what has ended since. */
export const readGrants =
  (reader: PipelinedReader): ReadModels['grants'] =>
  async (filter, { after, limit }) => {
    const { name, where, values } = conditionOf(filter);
    const text = selectGrants(where);
    const rows = await reader.query<Stored>({ name, text }, [after ?? '', limit, ...values]);
    return rows.map(({ scopes, issuedAt, lastTokenAt, lastReadAt, ...row }) => ({
      ...row,
      scopes: readScopes(scopes),
      issuedAt: Number(issuedAt),
      lastTokenAt: numberOf(lastTokenAt),
      lastReadAt: numberOf(lastReadAt),
    }));
  };

const numberOf = (instant: string | null): number | null => (instant === null ? null : Number(instant));

type Stored = Omit<GrantRow, 'issuedAt' | 'lastTokenAt' | 'lastReadAt' | 'scopes'> & {
  readonly scopes: readonly string[];
  readonly issuedAt: string;
  readonly lastTokenAt: string | null;
  readonly lastReadAt: string | null;
};

/** One statement for each combination, so that each is planned with the matching index. */
const conditionOf = ({ about, addonId, ended, unused: asked }: GrantFilter) => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 2}`;
  const parts = [
    ...(about ? [`${columns[about.kind]} = ${value(about.id)}`] : []),
    ...(addonId === undefined ? [] : [`addon_id = ${value(addonId)}`]),
    ...(ended === undefined ? [] : [`status ${ended ? '=' : '<>'} 'ended'`]),
    ...(asked ? [unused(value(asked.since), value(asked.countedSince))] : []),
  ];
  const kind = [about?.kind, addonId !== undefined, ended, asked !== undefined].join('-');
  return { name: `grants-${kind}`, where: parts.map((part) => ` and ${part}`).join(''), values };
};

const columns = { organization: 'organization_id', user: 'user_id', addon: 'addon_id', grant: 'grant_id' };

const lastToken = 'greatest(redeemed_at, refreshed_at)';
const lastRead = lastReadOf('grants.grant_id');

const unused = (since: string, countedSince: string) =>
  `${unusedSinceOf({ lastRead, issued: 'issued_at', lastToken, scopes: 'scopes', countedSince })} < ${since}::bigint`;

const selectGrants = (where: string) => `
  select grant_id as "grantId", addon_id as "addonId", user_id as "userId", organization_id as "organizationId",
         ${storedIn('grants')} as scopes,
         status = 'ended' as "hasEnded", issued_at as "issuedAt", ${lastToken} as "lastTokenAt",
         ${lastRead} as "lastReadAt"
  from grants where grant_id > $1${where}
  order by grant_id limit $2`;
