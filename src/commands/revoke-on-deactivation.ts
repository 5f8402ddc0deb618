import { activationDecider, completeRevocation } from '../domain/activation.ts';
import { activationStream } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { handle } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
import { eventIdOf, inTurns } from './revocation-events.ts';
import { makeRevokeGrant } from './revoke-grant.ts';
import { rerunUnknown } from './rerun-unknown.ts';

/**
 * The grants that an activation's epoch leaves behind: those that have not ended, and those that ended by this very
 * deactivation, so that a repeat after a crash counts the same ones. It must hold everything up to `upTo`.
 */
export type GrantsToRevoke = (deactivation: {
  readonly organizationId: string;
  readonly addonId: string;
  readonly epoch: number;
  readonly upTo: RecordedEvent['position'];
}) => Promise<readonly { readonly grantId: string }[]>;

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
 */
export const makeRevokeOnDeactivation = (needs: ReactionNeeds) => {
  const { store, now, grantsToRevoke } = needs;
  const revoke = makeRevokeGrant(needs);
  return async (recorded: RecordedEvent): Promise<void> => {
    if (recorded.event.type !== 'AddonDeactivated') return;
    const { organizationId, addonId, epoch } = recorded.event.data;
    const upTo = recorded.position;
    const grants = await grantsToRevoke({ organizationId, addonId, epoch, upTo });
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
