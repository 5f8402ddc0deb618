import type { Commands, Session } from '../../commands/commands.ts';
import type { GrantSubject } from '../../domain/grant.ts';
import type { Scope } from '../../domain/scope.ts';
import type { ReadModels } from '../../projections/read-models.ts';

/** Someone whose records the add-on may be allowed to see, and what it was allowed before. */
export type Candidate = {
  /** What the approval form sends back: `organization:<id>` or `user`. */
  readonly key: string;
  readonly name: string;
  readonly subject: GrantSubject;
  readonly remembered: readonly Scope[];
};

type Needs = {
  readonly commands: Pick<Commands, 'showActivation' | 'rememberedScopes' | 'isAdministrator'>;
  readonly readModels: Pick<ReadModels, 'organizationsAdministeredBy' | 'organization'>;
};

type Organization = { readonly organizationId: string; readonly name: string };

/**
 * Whom the user may speak for. An organization that this browser has just activated the add-on for is the only one
 * (AC-01); otherwise each that the user administers and where the add-on is active, then the user.
 * @returns none when the organization just activated has meanwhile deactivated the add-on (AZ-23)
 */
export const makeFindCandidates = ({ commands, readModels }: Needs) => {
  const ofOrganization = async (
    { organizationId, name }: Organization,
    addonId: string,
    userId: string,
  ): Promise<Candidate | null> => {
    const [administers, { status, epoch }] = await Promise.all([
      commands.isAdministrator(organizationId, userId),
      commands.showActivation(organizationId, addonId),
    ]);
    if (!administers || status !== 'active') return null;
    const subject: GrantSubject = { kind: 'organization', organizationId, epoch };
    const remembered = await commands.rememberedScopes({ userId, addonId, subject });
    return { key: `organization:${organizationId}`, name, subject, remembered };
  };

  const ofUser = async ({ userId, name }: Session, addonId: string): Promise<Candidate> => {
    const subject: GrantSubject = { kind: 'user', userId };
    const remembered = await commands.rememberedScopes({ userId, addonId, subject });
    return { key: 'user', name, subject, remembered };
  };

  return async (session: Session, addonId: string): Promise<readonly Candidate[]> => {
    const handOff = session.handOffs.findLast((candidate) => candidate.addonId === addonId);
    if (handOff) {
      const { organizationId } = handOff;
      const organization = await readModels.organization(organizationId);
      const name = organization?.name ?? organizationId;
      return present([await ofOrganization({ organizationId, name }, addonId, session.userId)]);
    }
    const organizations = await readModels.organizationsAdministeredBy(session.userId);
    return present(
      await Promise.all([
        ...organizations.map((organization) => ofOrganization(organization, addonId, session.userId)),
        ofUser(session, addonId),
      ]),
    );
  };
};

const present = (candidates: readonly (Candidate | null)[]): readonly Candidate[] =>
  candidates.filter((candidate) => candidate !== null);
