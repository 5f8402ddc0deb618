import type { z } from 'zod';
import type { Page, Services } from '../../administration/task.ts';
import type { activeOrganizations, addonSecrets } from '../contracts/publisher.ts';
import type { PublisherDependencies } from './dependencies.ts';

/** The organizations that have an add-on active: those that show their names, and how many do not. */
export const organizationsOf = async (
  { readModels }: Pick<Services, 'readModels'>,
  addonId: string,
  { after, limit }: Page,
): Promise<z.infer<typeof activeOrganizations>> => {
  const [found, counts] = await Promise.all([
    readModels.activeOrganizations(addonId, { after, limit: limit + 1 }),
    readModels.countActiveOrganizations(addonId),
  ]);
  const items = found.slice(0, limit).map(({ organizationId, name, activatedAt }) => ({
    organization_id: organizationId,
    name,
    activated_at: activatedAt,
  }));
  const next = found.length > limit ? (items.at(-1)?.organization_id ?? null) : null;
  return { items, next, ...counts };
};

/** The valid secrets, oldest first. */
export const secretsOf = async (
  { listAddonSecrets }: Pick<PublisherDependencies['commands'], 'listAddonSecrets'>,
  addonId: string,
): Promise<z.infer<typeof addonSecrets>['items']> =>
  ((await listAddonSecrets(addonId)) ?? []).map(({ secretId, addedAt }) => ({
    secret_id: secretId,
    added_at: new Date(addedAt).toISOString(),
  }));
