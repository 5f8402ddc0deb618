import { idOf } from '../domain/stream-name.ts';
import { byName } from './by-name.ts';
import { columnsOf, defineProjection } from './projection.ts';
import type { PipelinedReader } from './pipelined-reader.ts';
import type { RegisteredAddon } from './read-models.ts';

type Row = {
  readonly addonId: string;
  readonly name: string;
  readonly redirectUris: string;
  readonly configurationUrl: string | null;
  readonly allowedScopes: string;
  readonly confidential: boolean;
  readonly registeredAt: number;
};
type Changes = { readonly registered: Row[]; readonly suspended: Map<string, boolean> };

/** Add-ons as operators and organizations see them. The digests of their secrets stay in the log. */
export const addons = defineProjection<Changes>({
  name: 'addons',
  empty: () => ({ registered: [], suspended: new Map() }),
  on: {
    AddonRegistered: ({ registered }, { at, redirectUris, allowedScopes, ...data }) => {
      registered.push({
        ...data,
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
  },
  async write(tx, { registered, suspended }) {
    if (registered.length > 0)
      await tx.query(insertAddons, [
        ...columnsOf(registered, [
          'addonId',
          'name',
          'redirectUris',
          'configurationUrl',
          'allowedScopes',
          'confidential',
          'registeredAt',
        ]),
      ]);
    if (suspended.size > 0) await tx.query(updateSuspended, [[...suspended.keys()], [...suspended.values()]]);
  },
});

const insertAddons = `
  insert into addons (addon_id, name, redirect_uris, configuration_url, allowed_scopes, confidential, registered_at)
  select * from unnest($1::text[], $2::text[], $3::jsonb[], $4::text[], $5::jsonb[], $6::bool[], $7::bigint[])`;

const updateSuspended = `
  update addons set suspended = change.suspended
  from unnest($1::text[], $2::bool[]) as change (addon_id, suspended)
  where addons.addon_id = change.addon_id`;

/** All add-ons, by name. */
export const readAddons = (reader: PipelinedReader) => async (): Promise<readonly RegisteredAddon[]> =>
  byName(
    await reader.query<RegisteredAddon>({ name: 'addons', text: allAddons }, []),
    ({ addonId }) => addonId,
  );

const allAddons = `
  select addon_id as "addonId", name, redirect_uris as "redirectUris", configuration_url as "configurationUrl",
         allowed_scopes as "allowedScopes", confidential, suspended
  from addons`;
