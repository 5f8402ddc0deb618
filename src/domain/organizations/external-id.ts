import { accept, type Decider, type Decision, refuse, type At } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import { nameProblem, normaliseName } from '../kernel/name.ts';
import type { externalIdEvents } from './events.ts';

export type ExternalIdEvent = EventsIn<typeof externalIdEvents>;

export type ExternalIdClaim = { readonly organizationId: string | null };

export const externalIdDecider: Decider<ExternalIdClaim, ExternalIdEvent> = {
  initial: { organizationId: null },
  evolve: (_claim, { type, data }) => ({
    organizationId: type === 'ExternalIdClaimed' ? data.organizationId : null,
  }),
};

type ByOrganization = At<'organizationId'>;

/** The first claim wins. Claiming it again changes nothing. */
export const claimExternalId = (
  claim: ExternalIdClaim,
  { organizationId, now }: ByOrganization,
): Decision<ExternalIdEvent, 'external-id-taken'> => {
  if (claim.organizationId === organizationId) return accept();
  if (claim.organizationId !== null) return refuse('external-id-taken');
  return accept({ type: 'ExternalIdClaimed', data: { organizationId, at: now } });
};

/** Releases the id, so that it can be claimed again. If another organization has claimed it since, it stays theirs. */
export const releaseExternalId = (
  claim: ExternalIdClaim,
  { organizationId, now }: ByOrganization,
): Decision<ExternalIdEvent> =>
  claim.organizationId === organizationId
    ? accept({ type: 'ExternalIdReleased', data: { organizationId, at: now } })
    : accept();

const maxLength = 255;

/** The stored form, which is also the only one that is compared: case matters, the form of Unicode does not. */
export const normaliseExternalId = normaliseName;

/**
 * What is wrong with the normalised id, or null. It is the host platform's: a number, a UUID, a path, a domain name. It is
 * shown to people, so it has the same characters as names.
 */
export const externalIdProblem = (externalId: string): string | null => nameProblem(externalId, maxLength);
