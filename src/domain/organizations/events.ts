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
      sentence: ({ name }, { words, organization, streamId }) =>
        words.OrganizationCreated(organization(streamId), markName(name)),
    },
  ),
  AdministratorAdded: mustKnow(administrator, {
    ...ofPerson,
    sentence: ({ userId, source }, { words, user, organization, streamId }) =>
      words.AdministratorAdded(user(userId), organization(streamId), source === 'claim'),
  }),
  AdministratorRemoved: mustKnow(administrator, {
    ...ofPerson,
    sentence: ({ userId, source }, { words, user, organization, streamId }) =>
      words.AdministratorRemoved(user(userId), organization(streamId), source === 'claim'),
  }),
  /** The user may read the organization's audit log, as long as the account has the role. */
  AuditorAdded: mustKnow(
    { userId: z.string(), at: instant },
    {
      ...ofPerson,
      sentence: ({ userId }, { words, user, organization, streamId }) =>
        words.AuditorAdded(user(userId), organization(streamId)),
    },
  ),
  AuditorRemoved: mustKnow(
    { userId: z.string(), at: instant },
    {
      ...ofPerson,
      sentence: ({ userId }, { words, user, organization, streamId }) =>
        words.AuditorRemoved(user(userId), organization(streamId)),
    },
  ),
  OrganizationRenamed: maySkip(
    { name: z.string(), at: instant },
    {
      ...ofOrganization,
      kafka: publish({ name: kept<string>('is a name'), at }),
      sentence: ({ name }, { words, organization, streamId }) =>
        words.OrganizationRenamed(organization(streamId), markName(name)),
    },
  ),
  /** The host platform's id of the organization; empty: none any more. Its stream decides who may use it. */
  OrganizationExternalIdSet: mustKnow(
    { externalId: z.string(), at: instant },
    {
      ...ofExternalId,
      sentence: ({ externalId }, { words, organization, streamId }) =>
        words.OrganizationExternalIdSet(
          organization(streamId),
          externalId === '' ? null : markName(externalId),
        ),
    },
  ),
  /** Whether publishers of its add-ons see its name; they do where no event says so. */
  OrganizationShownToPublishers: mustKnow(
    { shown: z.boolean().describe('true: they see it'), at: instant },
    {
      ...ofOrganization,
      sentence: ({ shown }, { words, organization, streamId }) =>
        words.OrganizationShownToPublishers(organization(streamId), shown),
    },
  ),
  /** Permanently: no add-on can be activated for it any more. */
  OrganizationClosed: mustKnow(
    { at: instant },
    {
      ...ofOrganization,
      kafka: publish({ at }),
      sentence: (_, { words, organization, streamId }) => words.OrganizationClosed(organization(streamId)),
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
      sentence: ({ organizationId }, { words, organization }) =>
        words.ExternalIdClaimed(organization(organizationId)),
    },
  ),
  ExternalIdReleased: mustKnow(
    { organizationId: z.string(), at: instant },
    {
      ...ofClaim,
      sentence: ({ organizationId }, { words, organization }) =>
        words.ExternalIdReleased(organization(organizationId)),
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
    sentence: ({ organizationId, addonId, epoch }, { words, organization, addon }) =>
      words.AddonActivated(addon(addonId), organization(organizationId), epoch),
  }),
  AddonDeactivated: mustKnow(activation, {
    ...ofSwitch,
    notices: switched('addon-deactivated', 'The add-on was deactivated for the organization.'),
    sentence: ({ organizationId, addonId, epoch }, { words, organization, addon }) =>
      words.AddonDeactivated(addon(addonId), organization(organizationId), epoch),
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
        return context.words.RevocationCompleted(epoch, addon, organization, grants);
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
        return context.words.AuthorizationRefused(context.user(userId), addon, organization);
      },
    },
  ),
};
