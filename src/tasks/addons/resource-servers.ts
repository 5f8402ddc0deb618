import type { AllowedAudience } from '../../domain/addons/addon.ts';
import type { Services } from '../task.ts';

/** Each resource with the add-on that is registered for it, whose name users see; the first one by name if there are several. */
export const withResourceServers = async (
  { commands, readModels, settle }: Services,
  audiences: readonly string[],
): Promise<readonly AllowedAudience[]> => {
  if (audiences.length === 0) return [];
  await settle();
  const servers = new Map<string, string>();
  for (const { addonId } of await readModels.addons())
    for (const audience of (await commands.findAddon(addonId))?.audiences ?? [])
      if (!servers.has(audience)) servers.set(audience, addonId);
  return audiences.map((audience) => ({ audience, resourceServerId: servers.get(audience) ?? null }));
};
