import { createHash } from 'node:crypto';
import type { Commands } from '../../../commands/commands.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import type { GrantSubject } from '../../../domain/access/grant.ts';
import type { Remembered } from '../../../commands/access/remembered-scopes.ts';
import type { ReadModels } from '../../../projections/read-models.ts';

/** A subject whose records the add-on may be allowed to see, and the scopes that were approved before. */
export type Candidate = {
  /** What the approval form sends back: `organization:<id>` or `user`. */
  readonly key: string;
  readonly name: string;
  readonly subject: GrantSubject;
  readonly remembered: Remembered;
  /** This browser has just activated the add-on for this organization, so it is the one meant (AC-01). */
  readonly handedOff: boolean;
};

type Dependencies = {
  readonly commands: Pick<Commands, 'showActivation' | 'rememberedScopes' | 'ownConsent' | 'mayApproveFor'>;
  readonly readModels: Pick<ReadModels, 'organizationsAdministeredBy' | 'organization'>;
};

type Organization = { readonly organizationId: string; readonly name: string };

/**
 * For whom the user may decide: administered organizations with the active add-on, the just activated first (AC-01), then the user;
 * none if it was deactivated meanwhile (AZ-23). Only approvals for all `audiences` are remembered (CL-06).
 */
export const makeFindCandidates = ({ commands, readModels }: Dependencies) => {
  const ofOrganization = async (
    { organizationId, name }: Organization,
    addonId: string,
    userId: string,
    audiences: readonly string[],
  ): Promise<Candidate | null> => {
    const [mayApprove, { status, epoch }] = await Promise.all([
      commands.mayApproveFor(organizationId, userId),
      commands.showActivation(organizationId, addonId),
    ]);
    if (!mayApprove || status !== 'active') return null;
    const subject: GrantSubject = { kind: 'organization', organizationId, epoch };
    const remembered = await commands.rememberedScopes({ userId, addonId, subject, audiences });
    return { key: `organization:${organizationId}`, name, subject, remembered, handedOff: false };
  };

  const ofUser = async (
    { userId, name, disablings }: Session,
    addonId: string,
    audiences: readonly string[],
  ): Promise<Candidate> => {
    const { subject, remembered } = await commands.ownConsent({ userId, addonId, audiences, disablings });
    return { key: 'user', name, subject, remembered, handedOff: false };
  };

  /** Read separately: the list of the user's organizations may not contain it yet. */
  const ofHandOff = async (
    { userId }: Session,
    addonId: string,
    organizationId: string,
    audiences: readonly string[],
  ) => {
    const organization = await readModels.organization(organizationId);
    const name = organization?.name ?? organizationId;
    const candidate = await ofOrganization({ organizationId, name }, addonId, userId, audiences);
    return candidate && { ...candidate, handedOff: true };
  };

  return async (
    session: Session,
    addonId: string,
    audiences: readonly string[],
  ): Promise<readonly Candidate[]> => {
    const handOff = session.handOffs.findLast((candidate) => candidate.addonId === addonId)?.organizationId;
    const handedOff = handOff === undefined ? null : await ofHandOff(session, addonId, handOff, audiences);
    if (handOff !== undefined && !handedOff) return [];
    const organizations = await readModels.organizationsAdministeredBy(session.userId);
    const others = organizations.filter(({ organizationId }) => organizationId !== handOff);
    const more = await Promise.all([
      ...others.map((organization) => ofOrganization(organization, addonId, session.userId, audiences)),
      ofUser(session, addonId, audiences),
    ]);
    return present([handedOff, ...more]);
  };
};

/** The subjects that a page offers, in one short text, whatever their order. */
export const choiceOf = (candidates: readonly Pick<Candidate, 'key'>[]): string =>
  createHash('sha256')
    .update(JSON.stringify(candidates.map(({ key }) => key).sort()))
    .digest('base64url');

const present = (candidates: readonly (Candidate | null)[]): readonly Candidate[] =>
  candidates.filter((candidate) => candidate !== null);
