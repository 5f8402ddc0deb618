import type { EventType } from '../../domain/events.ts';
import { activationDecisions } from './decisions/activation-decisions.ts';
import { addonDecisions } from './decisions/addon-decisions.ts';
import { consentDecisions } from './decisions/consent-decisions.ts';
import { grantDecisions } from './decisions/grant-decisions.ts';
import { internalDecisions } from './decisions/internal-decisions.ts';
import { organizationDecisions } from './decisions/organization-decisions.ts';
import type { Decision, Publication } from './publication.ts';

/** Which events are published, and why the others are not: a new event type does not compile without an entry. */
export const decisions = {
  ...activationDecisions,
  ...grantDecisions,
  ...consentDecisions,
  ...addonDecisions,
  ...organizationDecisions,
  ...internalDecisions,
} satisfies { readonly [T in EventType]: Decision<T> };

/** By event type. */
export const publications: readonly Publication<EventType>[] = Object.values(decisions).filter(
  (decision) => decision.kind === 'published',
);

/** The event types that the relay subscribes to. */
export const publishedTypes: readonly EventType[] = publications.map(({ event }) => event);
