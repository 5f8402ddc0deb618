import { z } from 'zod';
import { instant, maySkip, mustKnow, type SentenceContext, whole } from '../describe-event.ts';
import {
  type About,
  organization,
  type Place,
  switchedBy,
  thisActivation,
  thisOrganization,
  user,
} from '../event-subjects.ts';
import { as, inIdentity, internal, kept, plain, publish, utc } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { splitId } from '../kernel/stream-name.ts';
import { byClaim } from '../people/role-source.ts';
import { switched } from '../signals/notice.ts';
import { activationStream, organizationStream } from '../streams.ts';

const at = as('at', utc);

const ofOrganization = {
  subjects: thisOrganization,
  /** Told by the deactivations, or of no consequence for an add-on. */
  notices: null,
  kafka: internal("an organization's name and people are the host platform's to tell"),
};
const ofPerson = {
  ...ofOrganization,
  subjects: ({ userId }: { readonly userId: string }, { streamId }: Place): readonly About[] => [
    organization(streamId),
    user(userId),
  ],
};
const ofExternalId = {
  ...ofOrganization,
  kafka: internal('it is the id of the host platform, which asked for it'),
};

const administrator = {
  userId: z.string(),
  at: instant,
  source: z.enum(['claim']).nullable().describe('null: by an operator'),
};

export const organizationEvents = {
  OrganizationCreated: mustKnow(
    { organizationId: z.string(), name: z.string(), at: instant },
    {
      ...ofOrganization,
      ownStream: ({ organizationId }) => organizationStream(organizationId),
      sentence: ({ name }, { organization, streamId }) =>
        `${organization(streamId)} was created as "${markName(name)}".`,
    },
  ),
  AdministratorAdded: mustKnow(administrator, {
    ...ofPerson,
    sentence: ({ userId, source }, { user, organization, streamId }) =>
      `${user(userId)} became an administrator of ${organization(streamId)}${byClaim(source)}.`,
  }),
  AdministratorRemoved: mustKnow(administrator, {
    ...ofPerson,
    sentence: ({ userId, source }, { user, organization, streamId }) =>
      `${user(userId)} is no longer an administrator of ${organization(streamId)}${byClaim(source)}.`,
  }),
  /** The user may read the organization's audit log, as long as the account has the role. */
  AuditorAdded: mustKnow(
    { userId: z.string(), at: instant },
    {
      ...ofPerson,
      sentence: ({ userId }, { user, organization, streamId }) =>
        `${user(userId)} may read the audit log of ${organization(streamId)}.`,
    },
  ),
  AuditorRemoved: mustKnow(
    { userId: z.string(), at: instant },
    {
      ...ofPerson,
      sentence: ({ userId }, { user, organization, streamId }) =>
        `${user(userId)} may no longer read the audit log of ${organization(streamId)}.`,
    },
  ),
  OrganizationRenamed: maySkip(
    { name: z.string(), at: instant },
    {
      ...ofOrganization,
      kafka: publish({ name: kept<string>('is a name'), at }),
      sentence: ({ name }, { organization, streamId }) =>
        `${organization(streamId)} was renamed to "${markName(name)}".`,
    },
  ),
  /** The host platform's id of the organization; empty: none any more. Its stream decides who may use it. */
  OrganizationExternalIdSet: mustKnow(
    { externalId: z.string(), at: instant },
    {
      ...ofExternalId,
      sentence: ({ externalId }, { organization, streamId }) =>
        externalId === ''
          ? `The external id of ${organization(streamId)} was removed.`
          : `The external id of ${organization(streamId)} was set to "${markName(externalId)}".`,
    },
  ),
  /** Whether publishers of its add-ons see its name; they do where no event says so. */
  OrganizationShownToPublishers: mustKnow(
    { shown: z.boolean().describe('true: they see it'), at: instant },
    {
      ...ofOrganization,
      sentence: ({ shown }, { organization, streamId }) =>
        shown
          ? `Publishers see the name of ${organization(streamId)} if it has activated an add-on of theirs.`
          : `Publishers no longer see the name of ${organization(streamId)}: it is only counted.`,
    },
  ),
  /** Permanently: no add-on can be activated for it any more. */
  OrganizationClosed: mustKnow(
    { at: instant },
    {
      ...ofOrganization,
      kafka: publish({ at }),
      sentence: (_, { organization, streamId }) =>
        `${organization(streamId)} was closed: no add-on can be activated for it any more.`,
    },
  ),
};

const ofClaim = {
  ...ofExternalId,
  subjects: ({ organizationId }: { readonly organizationId: string }) => [organization(organizationId)],
};

/** The claim of an external id by an organization, in the stream of the id: so it belongs to one organization at a time. */
export const externalIdEvents = {
  ExternalIdClaimed: mustKnow(
    { organizationId: z.string(), at: instant },
    {
      ...ofClaim,
      sentence: ({ organizationId }, { organization }) =>
        `An external id was claimed for ${organization(organizationId)}.`,
    },
  ),
  ExternalIdReleased: mustKnow(
    { organizationId: z.string(), at: instant },
    {
      ...ofClaim,
      sentence: ({ organizationId }, { organization }) =>
        `An earlier external id of ${organization(organizationId)} was released.`,
    },
  ),
};

const activation = {
  organizationId: z.string(),
  addonId: z.string(),
  epoch: whole,
  by: z.string(),
  at: instant,
};
const ofSwitch = {
  subjects: switchedBy,
  ownStream: ({ organizationId, addonId }: { readonly organizationId: string; readonly addonId: string }) =>
    activationStream(organizationId, addonId),
  kafka: publish({
    organizationId: inIdentity<string>(),
    addonId: inIdentity<string>(),
    epoch: as('epoch', plain<number>()),
    at,
    by: kept<string>('names who acted'),
  }),
};
const bothIn = ({ streamId, addon, organization }: SentenceContext) => {
  const [organizationId, addonId] = splitId(streamId);
  return { addon: addon(addonId), organization: organization(organizationId) };
};

/**
 * An add-on's activation. `epoch` counts from 1, and what was granted under one ends with it (DE-05). `by`: a user's id, or `break-glass`.
 */
export const activationEvents = {
  AddonActivated: mustKnow(activation, {
    ...ofSwitch,
    notices: switched('addon-activated', 'The add-on was activated for the organization.'),
    sentence: ({ organizationId, addonId, epoch }, { organization, addon }) =>
      `${addon(addonId)} was activated for ${organization(organizationId)} (epoch ${epoch}).`,
  }),
  AddonDeactivated: mustKnow(activation, {
    ...ofSwitch,
    notices: switched('addon-deactivated', 'The add-on was deactivated for the organization.'),
    sentence: ({ organizationId, addonId, epoch }, { organization, addon }) =>
      `${addon(addonId)} was deactivated for ${organization(organizationId)}: everything granted in epoch ${epoch} ended.`,
  }),
  /** Appended by the reaction once every live grant of the epoch has its GrantRevoked (DE-04). */
  RevocationCompleted: maySkip(
    { epoch: whole, grants: whole, at: instant },
    {
      subjects: thisActivation,
      notices: null,
      kafka: publish({ epoch: as('epoch', plain<number>()), at, grants: as('grants', plain<number>()) }),
      sentence: ({ epoch, grants }, context) => {
        const { addon, organization } = bothIn(context);
        return `All grants of epoch ${epoch} of ${addon} for ${organization} were recorded as ended: ${grants}.`;
      },
    },
  ),
  /** An administrator was sent back to the add-on with `access_denied`, because it is not active (AZ-23). */
  AuthorizationRefused: maySkip(
    { userId: z.string(), reason: z.literal('addon-not-active'), at: instant },
    {
      subjects: ({ userId }, place) => [...thisActivation(null, place), user(userId)],
      /** The add-on was answered. */
      notices: null,
      kafka: publish({
        userId: kept<string>('names who was refused'),
        reason: as('reason', plain<'addon-not-active'>()),
        at,
      }),
      sentence: ({ userId }, context) => {
        const { addon, organization } = bothIn(context);
        return `${context.user(userId)} was sent back to ${addon} without access to ${organization}.`;
      },
    },
  ),
};
