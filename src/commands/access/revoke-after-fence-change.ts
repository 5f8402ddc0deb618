import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { makeRevokeGrant } from './revoke-grant.ts';

/**
 * Ends a grant that must not be answered, because the second read of the fence refused it (P2). A grant that is only
 * suspended or on hold stays, and so does one whose own row is closed.
 */
export const makeRevokeAfterFenceChange = (
  dependencies: Pick<CommandDependencies, 'store' | 'fence' | 'now'>,
) => {
  const revoke = makeRevokeGrant(dependencies);
  return async (
    grantId: string,
    fenceRefusal: FenceRefusal,
    context: CommandContext | undefined,
  ): Promise<void> => {
    const reason = revocationReasons[fenceRefusal];
    if (reason) await revoke({ grantId, reason }, context);
  };
};

/** A suspension is temporary (SU-01), a hold may be, and a grant whose own row is closed is already revoked. */
const revocationReasons = {
  'addon-deactivated': 'addon-deactivated',
  'account-disabled': 'account-disabled',
  'consent-withdrawn': 'consent-withdrawn',
  'addon-suspended': null,
  'on-hold': null,
  'token-revoked': null,
} as const satisfies Record<FenceRefusal, GrantRevocationReason | null>;
