import { statement } from '../../common/transaction.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { timeOf } from '../access/connections-of.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { liveReadModels } from '../follow/checkpoint.ts';
import { columnsOf, defineProjection } from '../follow/projection.ts';
import { byName } from '../kernel/names.ts';
import { wordsIn, startsOf } from '../kernel/name-words.ts';
import { nameKey, readPage, type Condition, type SortedList } from '../kernel/sorted-list.ts';
import type { AddonFilter, ApprovedAddon, RegisteredAddon, ReadModels } from '../read-models.ts';

type Row = {
  readonly addonId: string;
  readonly name: string;
  readonly words: string;
  readonly redirectUris: string;
  readonly configurationUrl: string | null;
  readonly allowedScopes: string;
  readonly confidential: boolean;
  readonly registeredAt: number;
};
/** Null: unchanged. */
type Update = { readonly addonId: string; readonly at: number } & {
  readonly [K in (typeof updatable)[number]]: string | boolean | null;
};
type Changes = {
  readonly registered: Row[];
  readonly suspended: Map<string, boolean>;
  /** In the order of the log: a later one counts. */
  readonly updates: (Update | Removed)[];
  readonly retired: Set<string>;
};
/** What the table has of what an add-on can be without. */
const columns = {
  configurationUrl: 'configuration_url = null',
  publisher: 'publisher = null',
  logo: 'has_logo = false',
} as const;
type Removed = { readonly addonId: string; readonly unset: readonly (keyof typeof columns)[] };

const updatable = [
  'name',
  'words',
  'redirectUris',
  'configurationUrl',
  'allowedScopes',
  'publisher',
  'hasLogo',
] as const;

/** Add-ons as operators and organizations see them. The digests of their secrets stay in the log. */
export const addons = defineProjection<Changes>({
  name: 'addons',
  empty: () => ({ registered: [], suspended: new Map(), updates: [], retired: new Set() }),
  on: {
    AddonRegistered: ({ registered }, { at, redirectUris, allowedScopes, ...data }) => {
      registered.push({
        ...data,
        words: wordsIn(data.name),
        redirectUris: JSON.stringify(redirectUris),
        allowedScopes: JSON.stringify(allowedScopes),
        registeredAt: at,
      });
    },
    AddonSuspended: ({ suspended }, _data, event) => {
      suspended.set(idOf(event.stream), true);
    },
    AddonResumed: ({ suspended }, _data, event) => {
      suspended.set(idOf(event.stream), false);
    },
    AddonUpdated: ({ updates }, { redirectUris, allowedScopes, logo, ...data }, event) => {
      updates.push({
        ...data,
        addonId: idOf(event.stream),
        words: data.name === null ? null : wordsIn(data.name),
        redirectUris: redirectUris && JSON.stringify(redirectUris),
        allowedScopes: allowedScopes && JSON.stringify(allowedScopes),
        hasLogo: logo && true,
      });
    },
    AddonPropertiesReplaced: ({ updates }, { unset }, event) => {
      const there = unset.filter((field): field is keyof typeof columns => field in columns);
      if (there.length > 0) updates.push({ addonId: idOf(event.stream), unset: there });
    },
    AddonRetired: ({ retired }, _data, event) => {
      retired.add(idOf(event.stream));
    },
  },
  async write(tx, { registered, suspended, updates, retired }) {
    if (registered.length > 0)
      await tx.query(insertAddons, [
        ...columnsOf(registered, [
          'addonId',
          'name',
          'words',
          'redirectUris',
          'configurationUrl',
          'allowedScopes',
          'confidential',
          'registeredAt',
        ]),
      ]);
    if (suspended.size > 0) await tx.query(updateSuspended, [[...suspended.keys()], [...suspended.values()]]);
    for (const update of updates)
      if ('unset' in update) await tx.query(unsetIn(update), [update.addonId]);
      else {
        const values = updatable.map((field) => update[field]);
        await tx.query(updateAddon, [update.addonId, ...values, update.at]);
      }
    if (retired.size > 0) await tx.query(updateRetired, [[...retired]]);
  },
});

const insertAddons = `
  insert into addons
    (addon_id, name, words, redirect_uris, configuration_url, allowed_scopes, confidential, registered_at)
  select addon_id, name, words::text[], redirect_uris, configuration_url, allowed_scopes, confidential, registered_at
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::text[], $6::jsonb[], $7::bool[], $8::bigint[])
    as made (addon_id, name, words, redirect_uris, configuration_url, allowed_scopes, confidential, registered_at)
  on conflict do nothing`;

const updateSuspended = `
  update addons set suspended = change.suspended
  from unnest($1::text[], $2::bool[]) as change (addon_id, suspended)
  where addons.addon_id = change.addon_id`;

const updateAddon = `
  update addons set
    name = coalesce($2, name), words = coalesce($3::text[], words),
    redirect_uris = coalesce($4::jsonb, redirect_uris), configuration_url = coalesce($5, configuration_url),
    allowed_scopes = coalesce($6::jsonb, allowed_scopes), publisher = coalesce($7, publisher),
    has_logo = coalesce($8::bool, has_logo), named_at = case when $2 <> name then $9 else named_at end
  where addon_id = $1`;

const unsetIn = ({ unset }: Removed) =>
  `update addons set ${unset.map((field) => columns[field]).join(', ')} where addon_id = $1`;

const updateRetired = `update addons set retired = true, suspended = false where addon_id = any($1::text[])`;

export const readAddons = (reader: PipelinedReader) => async (): Promise<readonly RegisteredAddon[]> =>
  byName(
    await reader.query<RegisteredAddon>({ name: 'addons', text: allAddons }, []),
    ({ addonId }) => addonId,
  );

const allAddons = `
  select addon_id as "addonId", name, redirect_uris as "redirectUris", configuration_url as "configurationUrl",
         allowed_scopes as "allowedScopes", confidential, suspended, retired
  from addons`;

/** Add-ons in the order of their registration or by name, one page at a time, as far as the read models know. */
export const readAddonIds =
  (reader: PipelinedReader): ReadModels['addonIds'] =>
  (filter, page) =>
    readPage(reader, addonList, conditionOf(filter), page);

export const addonList: SortedList = { table: 'addons', id: 'addon_id', keys: { name: nameKey('words') } };

const conditionOf = ({ search, publisherId, withChanges }: AddonFilter): Condition => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 2}`;
  const starts = search === null ? null : startsOf(search);
  const byId = search === null ? '' : `addon_id = ${value(search)}`;
  const found = search === null ? '' : starts === null ? '-found-by-id' : '-found-by-words';
  const parts = [
    [found, search === null ? '' : starts === null ? byId : `(${byId} or ${byWords(value(starts))})`],
    ['-of', publisherId === null ? '' : `addon_id in (${ofPublisher(value(publisherId))})`],
    ['-waiting', withChanges ? `not retired and addon_id in (${withWaiting})` : ''],
  ].filter(([, condition]) => condition !== '');
  return {
    name: `addon-ids${parts.map(([name]) => name).join('')}`,
    where: parts.map(([, condition]) => condition).join(' and '),
    values,
  };
};

/** With a proposal that can still be decided (FX-92), as `proposalEndedAt` says. Rows of versions before 0098 do not say whose it is. */
const withWaiting = `
  select addon_id from waiting_changes
    left join publisher_addons using (addon_id)
    left join publisher_leaves using (publisher_id, user_id)
    left join accounts using (user_id)
  where user_id is null
     or (exists (select from publisher_members as member
                 where member.publisher_id = publisher_addons.publisher_id and member.user_id = waiting_changes.user_id)
         and coalesce(left_at < waiting_changes.since, true)
         and not disabled and coalesce(disabled_at < waiting_changes.since, true))`;

const byWords = (starts: string) => `array_to_tsvector(words) @@ ${starts}::tsquery`;
const ofPublisher = (id: string) => `select addon_id from publisher_addons where publisher_id = ${id}`;

type Stored = { readonly [K in keyof ApprovedAddon]: string | null } & Pick<ApprovedAddon, 'addonId'>;

export const readAddonsApprovedBy =
  (reader: PipelinedReader): ReadModels['addonsApprovedBy'] =>
  async (userId) => {
    const rows = await reader.query<Stored>(addonsApprovedBy, [userId, liveReadModels]);
    return rows.map(({ addonId, firstTokenAt, renewedAt }) => ({
      addonId,
      firstTokenAt: timeOf(firstTokenAt),
      renewedAt: timeOf(renewedAt),
    }));
  };

/** Those of parked keys, too. */
const addonsApprovedBy = statement('addons-approved-by')`
  select addon_id as "addonId", min(redeemed_at) as "firstTokenAt", max(refreshed_at) as "renewedAt"
  from (
    select addon_id from consents where subject_id = $1 and user_id = $1
    union select split_part(stream, '.', 2) from parked_events
    where checkpoint = $2 and projection = 'consents' and starts_with(stream, 'consent-' || $1 || '.')
  ) as approved
  left join lateral (select redeemed_at, refreshed_at from grants
                     where grants.user_id = $1 and grants.addon_id = approved.addon_id and organization_id is null) as tokens on true
  group by addon_id`;
