import { createHash } from 'node:crypto';
import { activationDecider, completeRevocation } from '../domain/activation.ts';
import { activationStream } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { handle } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
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

/** So many at once keep the log busy without shutting out everybody else. */
const width = 16;

const inTurns = async <T, U>(items: readonly T[], run: (item: T) => Promise<U>): Promise<readonly U[]> => {
  const results: U[] = [];
  for (let from = 0; from < items.length; from += width)
    results.push(...(await Promise.all(items.slice(from, from + width).map(run))));
  return results;
};

/** A UUID (RFC 9562 §5.8) from what the event is caused by and about. */
const eventIdOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
