import type { FenceRefusal } from '../domain/fence.ts';
import type { GrantRevocationReason } from '../domain/grant.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { makeRevokeGrant } from './revoke-grant.ts';

/**
 * Ends a grant of which the second look at the fence said that it must not be answered (P2). One that is only suspended
 * stays, and so does one that is fenced by itself.
 */
export const makeRevokeAfterFenceChange = (
  dependencies: Pick<CommandDependencies, 'store' | 'fence' | 'now'>,
) => {
  const revoke = makeRevokeGrant(dependencies);
  return async (
    grantId: string,
    slipped: FenceRefusal,
    context: CommandContext | undefined,
  ): Promise<void> => {
    const reason = slipReasons[slipped];
    if (reason) await revoke({ grantId, reason }, context);
  };
};

/** A suspension is lifted without asking again (SU-01), a hold may be, and a grant that is fenced by itself is revoked already. */
const slipReasons = {
  'addon-deactivated': 'addon-deactivated',
  'account-disabled': 'account-disabled',
  'consent-withdrawn': 'consent-withdrawn',
  'addon-suspended': null,
  'on-hold': null,
  'token-revoked': null,
} as const satisfies Record<FenceRefusal, GrantRevocationReason | null>;
