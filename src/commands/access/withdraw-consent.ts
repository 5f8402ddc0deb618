import { consentDecider, withdrawConsent } from '../../domain/access/consent.ts';
import { consentSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { consentStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly addons: AddonDirectory;
};

export type WithdrawConsent = {
  readonly userId: string;
  readonly addonId: string;
  /** Without one it is about the user's own data. */
  readonly organizationId?: string;
};

/**
 * Withdraws what a user approved for an add-on. For the user's own data it ends every grant, as a deactivation does
 * (P1): one event and one fence row. The fence is checked even when nothing changes, because an earlier call may have
 * crashed between the two. An approval for an organization is only removed: its integration stays (AC-03). Where
 * nothing was approved, nothing changes.
 */
export const makeWithdrawConsent =
  ({ store, fence, now, addons }: Dependencies) =>
  async (
    { userId, addonId, organizationId }: WithdrawConsent,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, 'addon-unknown'>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const handled = await handleRetrying(
      store,
      consentStream(organizationId ?? userId, addonId),
      consentDecider,
      (consent) => withdrawConsent(consent, { userId, addonId, now: now() }),
      { context, metadata: { actor: userId } },
    );
    const { revision, position } = handled;
    if (revision === 'no-stream') {
      const isKnown = (await addons.find(addonId)) !== null;
      return isKnown ? { ok: true, value: { position } } : { ok: false, refusal: 'addon-unknown' };
    }
    if (organizationId === undefined) await completeFence(fence, consentSubject(userId, addonId), handled);
    return { ok: true, value: { position } };
  };
