import type { CommandContext } from '../commands/kernel/context.ts';
import type { CommandDependencies } from '../commands/kernel/dependencies.ts';
import type { GrantRevocationReason } from '../domain/access/grant.ts';
import type { EventType } from '../domain/events.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import { consentStream } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { nextTraceparent } from '../observability/tracing/traceparent.ts';
import { type EndActivationsDependencies, makeEndActivations } from './end-activations.ts';
import { type GrantToEnd, makeEndGrants } from './end-grants.ts';
import { makeRevokeOnDeactivation, type RevocationDependencies } from './revoke-on-deactivation.ts';

/** Named after its first cause, which is not the only one. */
export const revocationsCheckpoint = 'revoke-on-deactivation';

/** The events that end activations or grants before those have an event of their own, which the reaction writes. */
export const revocationCauses = [
  'OrganizationClosed',
  'AddonRetired',
  'AddonActivated',
  'AddonDeactivated',
  'ConsentWithdrawn',
  'AccountDisabled',
] as const satisfies readonly EventType[];

/** The reaction to every event that ends grants: what it appends continues the trace of that event. */
export const makeRevocations = (
  dependencies: RevocationDependencies & EndActivationsDependencies & { readonly ownGrants: OwnGrants },
) => {
  const endActivations = makeEndActivations(dependencies);
  const revokeOnDeactivation = makeRevokeOnDeactivation(dependencies);
  const revokeOwnGrants = makeRevokeOwnGrants(dependencies);
  return async (event: RecordedEvent, signal: AbortSignal): Promise<void> => {
    const context = { traceparent: nextTraceparent(event.metadata.traceparent) };
    await endActivations(event, signal, context);
    await revokeOnDeactivation(event, signal, context);
    await revokeOwnGrants(event, signal, context);
  };
};

/** The grants of a user's own data that have not ended and whose code came before `upTo`; null means every add-on. */
export type OwnGrants = (
  of: {
    readonly userId: string;
    readonly addonId: string | null;
    readonly upTo: RecordedEvent['position'];
  },
  signal: AbortSignal,
) => AsyncIterable<readonly GrantToEnd[]>;

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly ownGrants: OwnGrants };

/** One GrantRevoked per grant of own data after ConsentWithdrawn or AccountDisabled (RT-17), for auditors: the fence closed long ago. Repeatable. */
export const makeRevokeOwnGrants = (dependencies: Dependencies) => {
  const endGrants = makeEndGrants(dependencies);
  return async (recorded: RecordedEvent, signal: AbortSignal, context?: CommandContext): Promise<void> => {
    const ended = endedBy(recorded);
    if (!ended) return;
    const { userId, addonId, reason } = ended;
    const grants = dependencies.ownGrants({ userId, addonId, upTo: recorded.position }, signal);
    await endGrants({ grants, reason, cause: recorded, actor: 'revoke-own-grants' }, signal, context);
  };
};

type Ended = {
  readonly userId: string;
  readonly addonId: string | null;
  readonly reason: GrantRevocationReason;
};

const endedBy = ({ event, stream }: RecordedEvent): Ended | null => {
  if (event.type === 'AccountDisabled')
    return { userId: idOf(stream), addonId: null, reason: 'account-disabled' };
  if (event.type !== 'ConsentWithdrawn') return null;
  const { userId, addonId } = event.data;
  // An approval for an organization is only removed (AC-03).
  return stream === consentStream(userId, addonId) ? { userId, addonId, reason: 'consent-withdrawn' } : null;
};
