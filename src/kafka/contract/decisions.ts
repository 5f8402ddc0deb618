import type { EventType } from '../../domain/events.ts';
import { activationDecisions } from './decisions/activation-decisions.ts';
import { addonDecisions } from './decisions/addon-decisions.ts';
import { consentDecisions } from './decisions/consent-decisions.ts';
import { grantDecisions } from './decisions/grant-decisions.ts';
import { internalDecisions } from './decisions/internal-decisions.ts';
import type { Decision, Publication } from './publication.ts';

/** What goes out, and why the rest does not: a new type of event does not compile before it is entered. */
export const decisions = {
  ...activationDecisions,
  ...grantDecisions,
  ...consentDecisions,
  ...addonDecisions,
  ...internalDecisions,
} satisfies { readonly [T in EventType]: Decision<T> };

/** By the type of the event. */
export const publications: readonly Publication<EventType>[] = Object.values(decisions).filter(
  (decision) => decision.kind === 'published',
);

/** What the relay subscribes to. */
export const publishedTypes: readonly EventType[] = publications.map(({ event }) => event);
