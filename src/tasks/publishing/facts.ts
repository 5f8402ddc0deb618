import type { z } from 'zod';
import type { Addon } from '../../commands/addons/find-addon.ts';
import type { Member } from '../../commands/publishers/own-addon.ts';
import { presentChange, type ChangeItem } from '../addons/addon-changes.ts';
import { signals, type SignalItem } from '../signals.ts';
import type { Page, Services } from '../task.ts';
import type { activeOrganizations, addonSecrets, Own } from './answers.ts';

export const ownOf = ({ own }: Services): Own => {
  if (!own) throw new Error('only a member of a publisher has own add-ons');
  return own;
};

/** The add-on, if the member belongs to its publisher at this moment. */
export const ownAddon = (services: Services, addonId: string): Promise<Addon | null> =>
  services.commands.ownAddon({ addonId, member: ownOf(services).member });

type Memberships = {
  readonly commands: Pick<Services['commands'], 'isPublisherMember'>;
  readonly readModels: Pick<Services['readModels'], 'publishersOf'>;
};

/** Read models say where to look, and the log whether the user is a member there. */
export const publishersOf = async (
  { commands, readModels }: Memberships,
  { userId, byClaim }: Member,
): Promise<readonly string[]> => {
  const candidates = await readModels.publishersOf(userId);
  const isMember = await Promise.all(
    candidates.map((publisherId) => commands.isPublisherMember(publisherId, userId, byClaim)),
  );
  return candidates.filter((_, index) => isMember[index]);
};

/** The organizations that have it active: those that show their names, and how many do not. */
export const organizationsOf = async (
  { readModels }: Services,
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
  return { items, next: found.length > limit ? (items.at(-1)?.organization_id ?? null) : null, ...counts };
};

export const secretsOf = async (
  { commands }: Services,
  addonId: string,
): Promise<z.infer<typeof addonSecrets>['items']> =>
  ((await commands.listAddonSecrets(addonId)) ?? []).map(({ secretId, addedAt }) => ({
    secret_id: secretId,
    added_at: new Date(addedAt).toISOString(),
  }));

/** Those of the publisher that the add-on has now: proposals of another one, and the reasons given to it, are not shown. */
export const changesOf = async ({ commands }: Services, addonId: string): Promise<readonly ChangeItem[]> => {
  const publisherId = (await commands.currentAddon(addonId))?.publisherId;
  const all = (await commands.listAddonChanges(addonId)) ?? [];
  return all.filter((change) => change.publisherId === publisherId).map(presentChange);
};

/** Null without a stream. */
export const signalsOf = async (services: Services, addonId: string): Promise<SignalItem | null> => {
  const stream = await services.commands.findSignalStream(addonId);
  return stream && ((await signals.show(services, stream.streamId)) as SignalItem | null);
};
