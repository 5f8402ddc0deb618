import type { EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { nextTraceparent } from '../observability/tracing/traceparent.ts';
import { makeRevokeOnDeactivation, type RevocationDependencies } from './revoke-on-deactivation.ts';
import { makeRevokeOwnGrants, type OwnGrants } from './revoke-own-grants.ts';

/** Named after its first cause, which is not the only one. */
export const revocationsCheckpoint = 'revoke-on-deactivation';

/** The events that end grants before the grants have an event of their own, which the reaction writes. */
export const revocationCauses = [
  'AddonDeactivated',
  'ConsentWithdrawn',
  'AccountDisabled',
] as const satisfies readonly EventType[];

/** The reaction to every event that ends grants: what it appends continues the trace of that event. */
export const makeRevocations = (dependencies: RevocationDependencies & { readonly ownGrants: OwnGrants }) => {
  const revokeOnDeactivation = makeRevokeOnDeactivation(dependencies);
  const revokeOwnGrants = makeRevokeOwnGrants(dependencies);
  return async (event: RecordedEvent, signal: AbortSignal): Promise<void> => {
    const context = { traceparent: nextTraceparent(event.metadata.traceparent) };
    await revokeOnDeactivation(event, signal, context);
    await revokeOwnGrants(event, signal, context);
  };
};
