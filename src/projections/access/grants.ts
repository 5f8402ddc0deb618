import { type GrantRevocationReason, usableUntil } from '../../domain/access/grant.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { type CountedChange, moveConnections } from './connections.ts';
import { columnsOf, defineProjection, type Tx } from '../follow/projection.ts';

/** The changes of a batch to one grant; `addonId` and the other terms are set when the batch contains the first event. */
type Change = CountedChange & {
  issuedAt?: number;
  issuedPosition?: bigint;
  rotation?: number;
  expiresAt?: number;
  endedAt?: number;
  endedReason?: GrantRevocationReason;
};

type Changes = {
  readonly grants: Map<string, Change>;
  /** Grants whose streams documented retention removes. */
  readonly removed: Set<string>;
};

const changeOf = ({ grants }: Changes, grantId: string): Change => {
  const change = grants.get(grantId) ?? { grantId };
  grants.set(grantId, change);
  return change;
};

/** Every authorization with state and times, for display, and how many there are of each kind. */
export const grants = defineProjection<Changes>({
  name: 'grants',
  empty: () => ({ grants: new Map(), removed: new Set() }),
  on: {
    AuthorizationCodeIssued: (
      changes,
      { grantId, addonId, userId, subject, scopes, at, expiresAt },
      event,
    ) => {
      Object.assign(changeOf(changes, grantId), {
        addonId,
        userId,
        organizationId: subject.kind === 'organization' ? subject.organizationId : null,
        epoch: subject.epoch,
        scopes: JSON.stringify(scopes),
        issuedAt: at,
        expiresAt,
        issuedPosition: event.position.commit,
        status: 'issued',
        rotation: 0,
      } satisfies Partial<Change>);
    },
    AuthorizationCodeRedeemed: (changes, { at, ...tokens }, event) => {
      const expiresAt = usableUntil(tokens);
      Object.assign(changeOf(changes, idOf(event.stream)), { status: 'redeemed', redeemedAt: at, expiresAt });
    },
    TokensRefreshed: (changes, { rotation, at, ...tokens }, event) => {
      const expiresAt = usableUntil(tokens);
      Object.assign(changeOf(changes, idOf(event.stream)), { rotation, refreshedAt: at, expiresAt });
    },
    GrantRevoked: (changes, { reason, at }, event) => {
      Object.assign(changeOf(changes, idOf(event.stream)), {
        status: 'ended',
        endedAt: at,
        endedReason: reason,
      });
    },
    StreamsRemoved: ({ removed }, data) => {
      if (data.category === 'unredeemed-grant') for (const { id } of data.streams) removed.add(id);
    },
  },
  async write(tx, { grants: changes, removed }) {
    const all = [...changes.values()];
    const begun = all.filter(({ addonId }) => addonId !== undefined);
    const changed = all.filter(({ addonId }) => addonId === undefined);
    await Promise.all([moveConnections(tx, all), insert(tx, begun), update(tx, changed)]);
    if (removed.size > 0) await remove(tx, [...removed]);
  },
});

/** Removes the rows whatever the log still holds, so that tables built before and after a scavenge are the same. */
const remove = async (tx: Tx, grantIds: readonly string[]): Promise<void> => {
  await moveConnections(
    tx,
    grantIds.map((grantId) => ({ grantId, status: 'ended' as const })),
  );
  await tx.query({ name: 'remove-grants', text: removeGrants, values: [grantIds] });
};

const scopesOf = (grant: string): string =>
  `(select coalesce(string_agg(scope, ' ' order by scope collate "C"), '') from jsonb_array_elements_text(${grant}.scopes) as scope)`;

/** Connections are removed with their last grant: nothing in the log would create them again. */
const removeGrants = `
  with gone as (
    delete from grants where grant_id = any($1::text[])
    returning organization_id, addon_id, epoch, user_id, ${scopesOf('grants')} as scopes)
  delete from connections using (select distinct * from gone where organization_id is not null) as gone
  where connections.organization_id = gone.organization_id and connections.addon_id = gone.addon_id
    and connections.epoch = gone.epoch and connections.user_id = gone.user_id and connections.scopes = gone.scopes
    and connections.unredeemed = 0 and connections.live = 0 and connections.last_token_at is null
    and not exists (
      select from grants as other
      where other.status = 'ended' and other.redeemed_at is null and other.organization_id = gone.organization_id and other.addon_id = gone.addon_id
        and other.epoch = gone.epoch and other.user_id = gone.user_id and other.grant_id <> all($1::text[])
        and ${scopesOf('other')} = gone.scopes)`;

const insert = async (tx: Tx, rows: readonly Change[]): Promise<void> => {
  if (rows.length === 0) return;
  const values = columnsOf(rows, [
    'grantId',
    'addonId',
    'userId',
    'organizationId',
    'epoch',
    'scopes',
    'status',
    'rotation',
    'issuedAt',
    'redeemedAt',
    'refreshedAt',
    'endedAt',
    'endedReason',
    'issuedPosition',
    'expiresAt',
  ]);
  await tx.query({ name: 'insert-grants', text: insertGrants, values: [...values] });
};

const insertGrants = `
  insert into grants (grant_id, addon_id, user_id, organization_id, epoch, scopes, status, rotation,
                      issued_at, redeemed_at, refreshed_at, ended_at, ended_reason, issued_position, expires_at)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::jsonb[], $7::text[],
                       $8::int[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bigint[], $15::bigint[])
  on conflict do nothing`;

const update = async (tx: Tx, rows: readonly Change[]): Promise<void> => {
  if (rows.length === 0) return;
  const values = columnsOf(rows, [
    'grantId',
    'status',
    'rotation',
    'redeemedAt',
    'refreshedAt',
    'endedAt',
    'endedReason',
    'expiresAt',
  ]);
  await tx.query({ name: 'update-grants', text: updateGrants, values: [...values] });
};

const updateGrants = `
  update grants set
    status = coalesce(change.status, grants.status),
    rotation = coalesce(change.rotation, grants.rotation),
    redeemed_at = coalesce(change.redeemed_at, grants.redeemed_at),
    refreshed_at = coalesce(change.refreshed_at, grants.refreshed_at),
    ended_at = coalesce(change.ended_at, grants.ended_at),
    ended_reason = coalesce(change.ended_reason, grants.ended_reason),
    expires_at = coalesce(change.expires_at, grants.expires_at)
  from unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[])
    as change (grant_id, status, rotation, redeemed_at, refreshed_at, ended_at, ended_reason, expires_at)
  where grants.grant_id = change.grant_id`;
