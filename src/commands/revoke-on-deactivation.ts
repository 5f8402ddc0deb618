import { activationDecider, completeRevocation } from '../domain/activation.ts';
import { activationSubject } from '../domain/fence.ts';
import { activationStream } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { handle } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
import { eventIdOf, inTurns } from './revocation-events.ts';
import { makeRevokeGrant } from './revoke-grant.ts';
import { rerunUnknown } from './rerun-unknown.ts';

/**
 * The grants that an activation's epoch leaves behind: those that have not ended, and those that ended by this very
 * deactivation, so that a repeat after a crash counts the same ones. Every code is among them that was in the log when
 * this was called.
 */
export type GrantsToRevoke = (
  of: { readonly organizationId: string; readonly addonId: string; readonly epoch: number },
  signal: AbortSignal,
) => Promise<readonly { readonly grantId: string }[]>;

export type ReactionNeeds = Pick<CommandNeeds, 'store' | 'fence' | 'now'> & {
  readonly grantsToRevoke: GrantsToRevoke;
};

/** What a deactivation calls for, with event ids that are the same however often it is worked out. */
export const revocationsAfter = (
  { id }: Pick<RecordedEvent, 'id'>,
  grants: readonly { readonly grantId: string }[],
) => ({
  revocations: grants.map(({ grantId }) => ({ grantId, eventId: eventIdOf(id, 'GrantRevoked', grantId) })),
  completionId: eventIdOf(id, 'RevocationCompleted'),
});

/**
 * The reaction to AddonDeactivated: one GrantRevoked per grant, then RevocationCompleted (DE-04). For auditors and
 * other systems; the fence has closed long before. It may run again at any time and changes nothing then.
 *
 * The fence is closed here too, should the command have died before it could, and the grants are asked for only then:
 * whoever was answered with a code has looked at an open fence after its event, so the event is among those that were in
 * the log by now. A code that comes later is ended by the command that issued it, and is in no count.
 */
export const makeRevokeOnDeactivation = (needs: ReactionNeeds) => {
  const { store, fence, now, grantsToRevoke } = needs;
  const revoke = makeRevokeGrant(needs);
  return async (recorded: RecordedEvent, signal: AbortSignal): Promise<void> => {
    if (recorded.event.type !== 'AddonDeactivated') return;
    const { organizationId, addonId, epoch } = recorded.event.data;
    const subject = activationSubject(organizationId, addonId);
    await fence.write([{ subject, revision: recorded.revision, epoch, open: false }]);
    const grants = await grantsToRevoke({ organizationId, addonId, epoch }, signal);
    const { revocations, completionId } = revocationsAfter(recorded, grants);
    const metadata = { actor: 'revoke-on-deactivation', causationId: recorded.id };
    const ended = await inTurns(revocations, (revocation) =>
      revoke({ ...revocation, reason: 'addon-deactivated', metadata }),
    );
    const count = ended.filter((grant) => grant.status === 'revoked' && grant.reason === 'addon-deactivated');
    await rerunUnknown(() =>
      handle(
        store,
        activationStream(organizationId, addonId),
        activationDecider,
        (activation) => completeRevocation(activation, { epoch, grants: count.length, now: now() }),
        { metadata, eventId: () => completionId },
      ),
    );
  };
};
