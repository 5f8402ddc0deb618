import { timeOf } from '../../common/iso-time.ts';
import type { OwnApproval } from '../../commands/access/own-consent.ts';
import type { Addon } from '../../commands/addons/find-addon.ts';
import type { ApprovedAddon } from '../../projections/read-models.ts';
import type { AccountDependencies } from './dependencies.ts';

/** An add-on that may read the user's own data. */
export type AllowedAddon = Pick<Addon, 'addonId' | 'name' | 'suspended' | 'retired'> &
  Pick<OwnApproval, 'scopes'> &
  Partial<ApprovedAddon> & {
    /** RFC 3339 UTC: since when it may read all of them. */
    readonly allowedAt: string;
  };

type Needs = {
  readonly commands: Pick<AccountDependencies['commands'], 'findAddon' | 'ownApprovals'>;
  readonly readModels: Pick<AccountDependencies['readModels'], 'addonsApprovedBy'>;
};

/** By name. The read models say where to look, the log what is allowed: also while they cannot be brought up to date. */
export const readAllowedAddons = async (
  { commands, readModels }: Needs,
  userId: string,
  locale: string,
): Promise<readonly AllowedAddon[]> => {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const known = await readModels.addonsApprovedBy(userId);
  const allowed = await allowedOf(commands, userId, known);
  return allowed.sort((a, b) => compare(a.name, b.name) || (a.addonId < b.addonId ? -1 : 1));
};

/** Null where the user has not allowed it, or no longer. */
export const findAllowedAddon = async (
  { commands }: Pick<Needs, 'commands'>,
  userId: string,
  addonId: string,
): Promise<AllowedAddon | null> => (await allowedOf(commands, userId, [{ addonId }]))[0] ?? null;

const allowedOf = async (
  commands: Needs['commands'],
  userId: string,
  known: readonly (Partial<ApprovedAddon> & Pick<ApprovedAddon, 'addonId'>)[],
): Promise<AllowedAddon[]> => {
  const approvals = await commands.ownApprovals(
    userId,
    known.map(({ addonId }) => addonId),
  );
  const each = known.map(async (tokens): Promise<readonly AllowedAddon[]> => {
    const approval = approvals.get(tokens.addonId);
    const addon = approval ? await commands.findAddon(tokens.addonId) : null;
    if (!approval || !addon) return [];
    const { name, suspended, retired } = addon;
    const { scopes, at } = approval;
    return [{ ...tokens, name, suspended, retired, scopes, allowedAt: timeOf(at) }];
  });
  return (await Promise.all(each)).flat();
};
