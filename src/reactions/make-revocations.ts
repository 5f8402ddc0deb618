import type { EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { nextTraceparent } from '../tracing/traceparent.ts';
import { makeRevokeOnDeactivation, type RevocationDependencies } from './revoke-on-deactivation.ts';
import { makeRevokeOwnGrants, type OwnGrants } from './revoke-own-grants.ts';

/** Named after its first reason, which is not its only one. */
export const revocationsCheckpoint = 'revoke-on-deactivation';

/** What grants end by without their own event, until the reaction has written it. */
export const revocationCauses = [
  'AddonDeactivated',
  'ConsentWithdrawn',
  'AccountDisabled',
] as const satisfies readonly EventType[];

/** The reaction to everything that grants hang on: what it appends goes on with the trace of the event that it reacts to. */
export const makeRevocations = (dependencies: RevocationDependencies & { readonly ownGrants: OwnGrants }) => {
  const revokeOnDeactivation = makeRevokeOnDeactivation(dependencies);
  const revokeOwnGrants = makeRevokeOwnGrants(dependencies);
  return async (event: RecordedEvent, signal: AbortSignal): Promise<void> => {
    const context = { traceparent: nextTraceparent(event.metadata.traceparent) };
    await revokeOnDeactivation(event, signal, context);
    await revokeOwnGrants(event, signal, context);
  };
};
