import { statement } from '../../common/transaction.ts';
import { scopesAmong, type Scope } from '../../domain/access/scope.ts';
import { lastReadOf, unusedSinceOf } from '../read-counts/last-used.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { isLive } from './live-grants.ts';

/** A grant that can still get tokens. Instants are milliseconds since the Unix epoch. */
export type UnusedGrant = {
  readonly grantId: string;
  readonly addon: { readonly id: string; readonly name: string | null };
  /** The user who approved it. */
  readonly user: { readonly id: string; readonly name: string | null };
  readonly scopes: readonly Scope[];
  readonly issuedAt: number;
  readonly lastTokenAt: number;
  /** Null: never, as far as is known. */
  readonly lastReadAt: number | null;
  /** The earliest certain time. */
  readonly unusedSince: number;
};

export type UnusedRequest = {
  readonly organizationId: string;
  /** Milliseconds. */
  readonly unusedFor: number;
  readonly limit: number;
  /** The id of a grant: only later ones are returned. */
  readonly after?: string;
};

export type ReadUnusedGrants = (request: UnusedRequest) => Promise<{
  readonly grants: readonly UnusedGrant[];
  /** The value for `after`; null at the end. */
  readonly next: string | null;
}>;

type Dependencies = {
  readonly now: () => number;
  /** Since when reads are counted. */
  readonly countedSince: () => Promise<number>;
};

type Row = {
  readonly grantId: string;
  readonly addonId: string;
  readonly addonName: string | null;
  readonly userId: string;
  readonly userName: string | null;
  readonly scopes: readonly string[];
  readonly issuedAt: string;
  readonly lastTokenAt: string;
  readonly lastReadAt: string | null;
  readonly unusedSince: string;
};

/** Grants of an organization that read nothing for a while, and can still get tokens. */
export const readUnusedGrants =
  (reader: PipelinedReader, { now, countedSince }: Dependencies): ReadUnusedGrants =>
  async ({ organizationId, unusedFor, limit, after = '' }) => {
    const at = now();
    const values = [organizationId, at - unusedFor, await countedSince(), at, after, limit + 1];
    const rows = (await reader.query<Row>(unusedGrants, values)).map(toGrant);
    const grants = rows.slice(0, limit);
    return { grants, next: rows.length > limit ? (grants.at(-1)?.grantId ?? null) : null };
  };

const toGrant = ({ addonId, addonName, userId, userName, ...row }: Row): UnusedGrant => ({
  grantId: row.grantId,
  addon: { id: addonId, name: addonName },
  user: { id: userId, name: userName },
  scopes: scopesAmong(row.scopes),
  issuedAt: Number(row.issuedAt),
  lastTokenAt: Number(row.lastTokenAt),
  lastReadAt: row.lastReadAt === null ? null : Number(row.lastReadAt),
  unusedSince: Number(row.unusedSince),
});

const unusedSince = unusedSinceOf({
  lastRead: 'newest.at',
  issued: 'g.issued_at',
  lastToken: 'g.token_at',
  scopes: 'g.scopes',
  countedSince: '$3',
});

const unusedGrants = statement('unused-grants')`
    select g.grant_id as "grantId", g.addon_id as "addonId", addons.name as "addonName", g.user_id as "userId",
           accounts.name as "userName", g.scopes, g.issued_at as "issuedAt", g.token_at as "lastTokenAt",
           newest.at as "lastReadAt", used.at as "unusedSince"
    from (select *, greatest(redeemed_at, refreshed_at) as token_at from grants
          where organization_id = $1 and ${isLive('$4')}) as g
         left join addons on addons.addon_id = g.addon_id
         left join accounts on accounts.user_id = g.user_id,
         lateral (select ${lastReadOf('g.grant_id')} as at) as newest,
         lateral (select ${unusedSince} as at) as used
    where used.at <= $2::bigint and g.grant_id > $5
    order by g.grant_id limit $6`;
