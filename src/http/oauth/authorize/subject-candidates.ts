import { createHash } from 'node:crypto';
import type { Commands } from '../../../commands/commands.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import type { OrganizationSelector } from '../../../domain/organizations/organization-selector.ts';
import type { GrantSubject } from '../../../domain/access/grant.ts';
import type { Remembered } from '../../../commands/access/remembered-scopes.ts';
import type { NamedOrganization, ReadModels } from '../../../projections/read-models.ts';
import type { SubjectSelection } from './authorization-request.ts';

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

/** Why the user cannot decide for what the add-on asks for (AP-03), and which organization that is. */
export type Impossible =
  | { readonly why: 'no-organization' }
  | {
      readonly why: 'unknown' | 'not-administered';
      /** As the add-on named it: a stranger does not learn what it is called. */
      readonly named: string;
    }
  | { readonly why: 'closed' | 'not-active'; readonly name: string; readonly organizationId: string };

/** Those to choose from; if the add-on asks for a subject that is not among them, why. */
export type Candidates = {
  readonly candidates: readonly Candidate[];
  readonly impossible: Impossible | null;
};

type Dependencies = {
  readonly commands: Pick<
    Commands,
    'findNamedOrganization' | 'mayApproveFor' | 'ownConsent' | 'rememberedScopes' | 'showActivation'
  >;
  readonly readModels: Pick<ReadModels, 'organizationsAdministeredBy' | 'organization'>;
};

/**
 * For whom the user may decide: administered organizations with the active add-on, the just activated first (AC-01), then the user;
 * none if it was deactivated meanwhile (AZ-23). Of these only what the add-on asks for (AP-03). Only approvals for all `audiences` are
 * remembered (CL-06).
 */
export const makeFindCandidates = ({ commands, readModels }: Dependencies) => {
  const ofOrganization = async (
    { organizationId, name }: NamedOrganization,
    addonId: string,
    userId: string,
    audiences: readonly string[],
  ): Promise<Candidate | null> => {
    const [mayApprove, { status, epoch }] = await Promise.all([
      commands.mayApproveFor(organizationId, userId),
      commands.showActivation(organizationId, addonId, 'is open'),
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

  /** Whatever is wrong, the same is read: how long the answer takes does not tell the add-on. */
  const ofSelector = async (
    { userId, handOffs }: Session,
    addonId: string,
    which: OrganizationSelector,
    audiences: readonly string[],
  ): Promise<Candidates> => {
    const { organizationId, standing, name } = await commands.findNamedOrganization(which, userId);
    const candidate = await ofOrganization({ organizationId, name }, addonId, userId, audiences);
    const handedOff = handOffs.some(
      (each) => each.addonId === addonId && each.organizationId === organizationId,
    );
    if (candidate) return possible([{ ...candidate, handedOff }]);
    if (standing === 'unknown' || standing === 'not-administered')
      return impossible({
        why: standing,
        named: 'externalId' in which ? which.externalId : which.organizationId,
      });
    return impossible({ why: standing === 'closed' ? 'closed' : 'not-active', name, organizationId });
  };

  return async (
    session: Session,
    addonId: string,
    audiences: readonly string[],
    select: SubjectSelection | null,
  ): Promise<Candidates> => {
    if (select?.kind === 'user') return possible([await ofUser(session, addonId, audiences)]);
    if (select?.which) return ofSelector(session, addonId, select.which, audiences);
    const handOff = session.handOffs.findLast((candidate) => candidate.addonId === addonId)?.organizationId;
    const handedOff = handOff === undefined ? null : await ofHandOff(session, addonId, handOff, audiences);
    if (handOff !== undefined && !handedOff)
      return select ? ofSelector(session, addonId, { organizationId: handOff }, audiences) : possible([]);
    const organizations = await readModels.organizationsAdministeredBy(session.userId);
    const others = organizations.filter(({ organizationId }) => organizationId !== handOff);
    const more = await Promise.all([
      ...others.map((organization) => ofOrganization(organization, addonId, session.userId, audiences)),
      select ? null : ofUser(session, addonId, audiences),
    ]);
    const candidates = present([handedOff, ...more]);
    return candidates.length > 0 ? possible(candidates) : impossible({ why: 'no-organization' });
  };
};

const possible = (candidates: readonly Candidate[]): Candidates => ({ candidates, impossible: null });
const impossible = (why: Impossible): Candidates => ({ candidates: [], impossible: why });

/** The subjects that a page offers, in one short text, whatever their order. */
export const choiceOf = (candidates: readonly Pick<Candidate, 'key'>[]): string =>
  createHash('sha256')
    .update(JSON.stringify(candidates.map(({ key }) => key).sort()))
    .digest('base64url');

const present = (candidates: readonly (Candidate | null)[]): readonly Candidate[] =>
  candidates.filter((candidate) => candidate !== null);
