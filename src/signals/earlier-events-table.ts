import { statement } from '../common/transaction.ts';
import type { Tx } from '../projections/follow/projection.ts';
import type { GrantHolder, Holder } from '../domain/signals/notice.ts';

export type Activation = { readonly organizationId: string; readonly addonId: string };

/** The last epoch of it that has ended. */
export type Deactivation = Activation & { readonly epoch: number };

/** A grant that is not revoked. Times in milliseconds since the Unix epoch. */
export type KeptGrant = GrantHolder & {
  readonly redeemed: boolean;
  readonly issuedAt: number;
  readonly epoch: number;
};
export type KeptGrants = Map<string, KeptGrant>;

/** By user and add-on: whether one of the grants was for the user's own records. */
export type KeptHolders = Map<string, Map<string, boolean>>;

export const readGrants = async (tx: Tx, grantIds: readonly string[]): Promise<KeptGrants> => {
  if (grantIds.length === 0) return new Map();
  const { rows } = await tx.query<GrantRow>({ ...selectGrants, values: [grantIds] });
  return new Map(rows.map(({ grantId, ...row }) => [grantId, { ...row, issuedAt: row.issuedAt.getTime() }]));
};

type GrantRow = Omit<KeptGrant, 'issuedAt'> & { readonly grantId: string; readonly issuedAt: Date };

export const readHolders = async (tx: Tx, userIds: readonly string[]): Promise<KeptHolders> => {
  if (userIds.length === 0) return new Map();
  const { rows } = await tx.query<HolderRow>({ ...selectHolders, values: [userIds] });
  const holders: KeptHolders = new Map();
  for (const { userId, addonId, own } of rows)
    holders.set(userId, (holders.get(userId) ?? new Map<string, boolean>()).set(addonId, own));
  return holders;
};

type HolderRow = Holder & { readonly userId: string };

/** The last epoch that has ended of each of these that was ever deactivated. */
export const readDeactivations = async (
  tx: Tx,
  activations: readonly Activation[],
): Promise<readonly Deactivation[]> => {
  if (activations.length === 0) return [];
  return (await tx.query<Deactivation>({ ...selectDeactivations, values: columnsOf(activations) })).rows;
};

/** @param deactivations one of each activation at most */
export const writeDeactivations = async (tx: Tx, deactivations: readonly Deactivation[]): Promise<void> => {
  if (deactivations.length === 0) return;
  const values = [...columnsOf(deactivations), deactivations.map(({ epoch }) => epoch)];
  await tx.query({ ...upsertDeactivations, values });
};

const columnsOf = (activations: readonly Activation[]): readonly (readonly string[])[] => [
  activations.map(({ organizationId }) => organizationId),
  activations.map(({ addonId }) => addonId),
];

/** Stores the changed grants, and removes those of them that have ended. */
export const writeGrants = async (
  tx: Tx,
  changed: ReadonlySet<string>,
  grants: Readonly<KeptGrants>,
): Promise<void> => {
  const ended = [...changed].filter((grantId) => !grants.has(grantId));
  if (ended.length > 0) await tx.query({ ...deleteGrants, values: [ended] });
  const kept = [...changed].flatMap((grantId) => {
    const grant = grants.get(grantId);
    return grant ? [{ grantId, ...grant }] : [];
  });
  if (kept.length === 0) return;
  await tx.query({
    ...upsertGrants,
    values: [
      kept.map(({ grantId }) => grantId),
      kept.map(({ addonId }) => addonId),
      kept.map(({ organizationId }) => organizationId),
      kept.map(({ userId }) => userId),
      kept.map(({ redeemed }) => redeemed),
      kept.map(({ issuedAt }) => new Date(issuedAt)),
      kept.map(({ epoch }) => epoch),
    ],
  });
};

export const addHolders = async (tx: Tx, added: Readonly<KeptHolders>): Promise<void> => {
  const rows = [...added].flatMap(([userId, addons]) =>
    [...addons].map(([addonId, own]) => ({ userId, addonId, own })),
  );
  if (rows.length === 0) return;
  const columns = [
    rows.map(({ userId }) => userId),
    rows.map(({ addonId }) => addonId),
    rows.map(({ own }) => own),
  ];
  await tx.query({ ...upsertHolders, values: columns });
};

export const removeHolders = async (tx: Tx, userIds: readonly string[]): Promise<void> => {
  if (userIds.length > 0) await tx.query({ ...deleteHolders, values: [userIds] });
};

/** Of codes that were never redeemed. */
export const removeUnredeemed = async (tx: Tx, before: number): Promise<void> =>
  void (await tx.query({ ...deleteUnredeemed, values: [new Date(before)] }));

const selectGrants = statement('signal-grants')`
  select grant_id as "grantId", addon_id as "addonId", organization_id as "organizationId", user_id as "userId",
         redeemed, issued_at as "issuedAt", epoch
  from signal_grants where grant_id = any($1)`;
const upsertGrants = statement('keep-signal-grants')`
  insert into signal_grants (grant_id, addon_id, organization_id, user_id, redeemed, issued_at, epoch)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[], $7::int[])
  on conflict (grant_id) do update set redeemed = excluded.redeemed`;
const deleteGrants = statement('forget-signal-grants')`delete from signal_grants where grant_id = any($1)`;
const deleteUnredeemed = statement('forget-unredeemed-signal-grants')`
  delete from signal_grants where not redeemed and issued_at < $1`;
const selectDeactivations = statement('signal-deactivations')`
  select organization_id as "organizationId", addon_id as "addonId", epoch from signal_deactivations
  where (organization_id, addon_id) in (select * from unnest($1::text[], $2::text[]))`;
const upsertDeactivations = statement('keep-signal-deactivations')`
  insert into signal_deactivations (organization_id, addon_id, epoch)
  select * from unnest($1::text[], $2::text[], $3::int[])
  on conflict (organization_id, addon_id) do update set epoch = excluded.epoch`;
const selectHolders = statement('signal-holders')`
  select user_id as "userId", addon_id as "addonId", own from signal_holders where user_id = any($1)`;
const upsertHolders = statement('keep-signal-holders')`
  insert into signal_holders (user_id, addon_id, own)
  select * from unnest($1::text[], $2::text[], $3::boolean[])
  on conflict (user_id, addon_id) do update set own = true where excluded.own and not signal_holders.own`;
const deleteHolders = statement('forget-signal-holders')`delete from signal_holders where user_id = any($1)`;
