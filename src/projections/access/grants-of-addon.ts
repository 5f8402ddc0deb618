import { statement } from '../../common/transaction.ts';
import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { wasUsable } from './live-grants.ts';
import { catchUpOn, type CatchUpDependencies } from '../follow/catch-up.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** What a change of an add-on ends, page by page, however much there is. */
export const readGrantsOfAddon = (reader: PipelinedReader, dependencies: CatchUpDependencies) => ({
  catchUp: (signal: AbortSignal): Promise<void> =>
    catchUpOn(dependencies, ['AuthorizationCodeIssued', 'AddonActivated'], signal),
  async *outside(addonId: string, scopes: readonly Scope[]): AsyncGenerator<readonly Row[]> {
    yield* pagesOf(
      (after) => reader.query<Row>(outsideScopes, [addonId, JSON.stringify(scopes), after, pageSize]),
      ({ grantId }) => grantId,
    );
  },
  async *own(addonId: string): AsyncGenerator<readonly Row[]> {
    yield* pagesOf(
      (after) => reader.query<Row>(ownOfAddon, [addonId, after, pageSize]),
      ({ grantId }) => grantId,
    );
  },
  async *activatedFor(addonId: string): AsyncGenerator<readonly string[]> {
    const pages = pagesOf(
      (after) => reader.query<{ organizationId: string }>(activatedFor, [addonId, after, pageSize]),
      ({ organizationId }) => organizationId,
    );
    for await (const rows of pages) yield rows.map(({ organizationId }) => organizationId);
  },
  countEnded: (addonId: string, reason: GrantRevocationReason): Promise<readonly Ended[]> =>
    reader.query<Ended>(endedOfAddon, [addonId, reason]),
});

type Row = { readonly grantId: string; readonly organizationId: string | null; readonly expiresAt: number };

type Ended = { readonly organizationId: string | null; readonly grants: number };

const pageSize = 1_000;

async function* pagesOf<T>(
  read: (after: string) => Promise<readonly T[]>,
  keyOf: (row: T) => string,
): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: readonly T[] = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    after = rows.length === pageSize && last !== undefined ? keyOf(last) : undefined;
  }
}

const ofGrant =
  'grant_id as "grantId", organization_id as "organizationId", expires_at::float8 as "expiresAt"';

const outsideScopes = statement('grants-of-addon-outside-scopes')`
    select ${ofGrant} from grants
    where addon_id = $1 and status <> 'ended' and not ($2::jsonb @> scopes) and grant_id > $3
    order by grant_id limit $4`;

const ownOfAddon = statement('own-grants-of-addon')`
    select ${ofGrant} from grants
    where addon_id = $1 and status <> 'ended' and organization_id is null and grant_id > $2
    order by grant_id limit $3`;

const activatedFor = statement('activated-for')`
    select organization_id as "organizationId" from activations
    where addon_id = $1 and organization_id > $2
    order by organization_id limit $3`;

const endedOfAddon = statement('ended-grants-of-addon')`
    select organization_id as "organizationId", count(*)::int as grants from grants
    where addon_id = $1 and ended_reason = $2 and ${wasUsable('ended_at')}
    group by organization_id order by organization_id nulls last`;
