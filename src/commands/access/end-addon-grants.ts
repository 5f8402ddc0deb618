import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import type { AddonGrants, EndedGrants, GrantOfAddon } from './addon-grants.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { forEachConcurrent } from '../kernel/for-each-concurrent.ts';
import { makeRevokeGrant } from './revoke-grant.ts';

/** In milliseconds: how long the read models may take to show what is in the log. */
const patience = 30_000;

/** @returns false if the read models do not show in time what is in the log */
export const catchUpInTime = async (grants: AddonGrants): Promise<boolean> => {
  const signal = AbortSignal.timeout(patience);
  try {
    await grants.catchUp(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
};

/**
 * Ends grants of an add-on one by one, each with its event and its row of the fence. A repeat after a crash ends the
 * rest.
 * @returns how many have ended for this reason that had not expired, by organization, those of earlier calls included; and up to where the
 *   log has to be read to see them ended, null if there was nothing to do
 */
export const makeEndAddonGrants = (
  dependencies: Pick<CommandDependencies, 'store' | 'fence' | 'now'> & { readonly addonGrants: AddonGrants },
) => {
  const revoke = makeRevokeGrant(dependencies);
  return async (
    {
      addonId,
      grants,
      reason,
    }: { addonId: string; grants: AsyncIterable<readonly GrantOfAddon[]>; reason: GrantRevocationReason },
    context?: CommandContext,
  ): Promise<{ readonly ended: readonly EndedGrants[]; readonly position: Position | null }> => {
    const before = await dependencies.addonGrants.countEnded(addonId, reason);
    const counts = new Map(before.map(({ organizationId, grants: count }) => [organizationId, count]));
    let newest: Position | null = null;
    const end = async ({ grantId, organizationId, expiresAt }: GrantOfAddon) => {
      const { changed, position } = await revoke({ grantId, reason }, context);
      if (!changed) return;
      if (expiresAt > dependencies.now()) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
      if (position && (newest === null || comparePositions(position, newest) > 0)) newest = position;
    };
    await forEachConcurrent(grants, end, never);
    const ended = [...counts]
      .map(([organizationId, count]) => ({ organizationId, grants: count }))
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    return { ended, position: newest };
  };
};

/** Users' own records come last. */
const keyOf = ({ organizationId }: EndedGrants): string => organizationId ?? '~';

const never = new AbortController().signal;
