import { z } from 'zod';
import { instant, maySkip, mustKnow, whole } from '../describe-event.ts';
import { thisUser, user } from '../event-subjects.ts';
import { internal } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { accountPerson } from '../personal-data.ts';
import { disabled, toHolders } from '../signals/notice.ts';
import { accountStream, administratorTokensStream } from '../streams.ts';

/** The person of the account that the stream is of. */
const subject = (_data: unknown, userId: string) => accountPerson(userId);
const ofNamed = ({ userId }: { readonly userId: string }) => accountPerson(userId);

const ofAccount = {
  subjects: thisUser,
  /** How people sign in, and what they may do here, is not disclosed to add-ons. */
  notices: null,
  kafka: internal(
    'an account is about a person, and authorizes no add-on; what a disabling ends goes out grant by grant',
  ),
};
const ofSignIn = {
  ...ofAccount,
  kafka: internal('whether and when a person signs in authorizes no add-on'),
};

const role = {
  role: z.enum(['auditor', 'operator']),
  source: z.enum(['manual', 'claim']),
  at: instant,
};
const emailVouchedBy = z.enum(['operator', 'provider', 'nobody']);

export const accountEvents = {
  AccountCreated: mustKnow(
    {
      userId: z.string(),
      email: z.string(),
      name: z.string(),
      roles: z.array(role.role),
      at: instant,
      emailVouchedBy,
    },
    {
      ...ofAccount,
      personal: { fields: ['email', 'name'], subject: ofNamed },
      ownStream: ({ userId }) => accountStream(userId),
      sentence: ({ roles }, { words, user, streamId }) =>
        words.AccountCreated(
          user(streamId),
          roles.length === 0
            ? null
            : roles.map((role) => words.roles[role]).reduce((one, other) => words.and(one, other)),
        ),
    },
  ),
  /** `passwordHash` is an argon2id PHC string. */
  PasswordSet: mustKnow(
    {
      passwordHash: z.string(),
      at: instant,
      /**
       * Sessions and administrator tokens from before are ended, except the session in which the user changed the
       * password. Null for a new account.
       */
      ended: z.strictObject({ exceptSession: z.string().nullable() }).nullable(),
    },
    {
      ...ofAccount,
      personal: { fields: ['passwordHash'], subject },
      sentence: ({ ended }, { words, user, streamId }) =>
        ended === null
          ? words.PasswordSet(user(streamId))
          : words.PasswordChanged(user(streamId), ended.exceptSession),
    },
  ),
  /** A one-time link to choose a password. It replaces an older one and ends with the next password; the log has its SHA-256, base64url. */
  PasswordLinkIssued: mustKnow(
    { digest: z.string(), purpose: z.enum(['invitation', 'reset']), expiresAt: instant, at: instant },
    {
      ...ofAccount,
      sentence: ({ purpose, expiresAt }, { words, user, streamId, time }) =>
        words.PasswordLinkIssued(user(streamId), words.purposes[purpose], time(expiresAt)),
    },
  ),
  /** Nobody but who asked for the link has it, and only by another mail: the next request makes another. */
  PasswordLinkNotMailed: maySkip(
    { digest: z.string(), at: instant },
    {
      ...ofAccount,
      sentence: (_, { words, user, streamId }) => words.PasswordLinkNotMailed(user(streamId)),
    },
  ),
  /** `epoch` counts from 1 how often the account was disabled: what was granted before stays revoked (RT-17). */
  AccountDisabled: mustKnow(
    { epoch: whole, at: instant },
    {
      ...ofAccount,
      notices: disabled,
      sentence: (_, { words, user, streamId }) => words.AccountDisabled(user(streamId)),
    },
  ),
  AccountEnabled: mustKnow(
    { epoch: whole, at: instant },
    {
      ...ofAccount,
      notices: toHolders('accountEnabled'),
      sentence: (_, { words, user, streamId }) => words.AccountEnabled(user(streamId)),
    },
  ),
  /** All sessions of the user are ended, except one: the one in which the user asked for it. Null: really all. */
  SessionsEnded: mustKnow(
    { exceptSession: z.string().nullable(), at: instant },
    {
      ...ofSignIn,
      sentence: ({ exceptSession }, { words, user, streamId }) =>
        words.SessionsEnded(user(streamId), exceptSession),
    },
  ),
  /** The user is erased: the key of their personal data in the log is deleted, and the account is never used again. */
  AccountErased: mustKnow(
    { at: instant },
    {
      ...ofAccount,
      /** The account was disabled before, which has notified of the rest. */
      notices: toHolders('accountPurged'),
      sentence: (_, { words, user, streamId }) => words.AccountErased(user(streamId)),
    },
  ),
  /** After wrong passwords, the next attempts have to wait. This event is for auditors; the counters are not in the log. */
  SignInBlocked: maySkip(
    {
      counter: z
        .enum(['device', 'account-and-address', 'account'])
        .describe('of a known browser, of one address, or of all others'),
      failures: whole,
      until: instant,
      at: instant,
    },
    {
      ...ofSignIn,
      sentence: ({ failures, until }, { words, user, streamId, time }) =>
        words.SignInBlocked(failures, user(streamId), time(until)),
    },
  ),
  /** An operator cleared the failures that were counted for the account. */
  SignInUnblocked: maySkip(
    { at: instant },
    {
      ...ofSignIn,
      sentence: (_, { words, user, streamId }) => words.SignInUnblocked(user(streamId)),
    },
  ),
  AccountRenamed: maySkip(
    { name: z.string(), at: instant },
    {
      ...ofAccount,
      personal: { fields: ['name'], subject },
      sentence: (_, { words, user, streamId }) => words.AccountRenamed(user(streamId)),
    },
  ),
  /** For the pages, and for mails to the user. Empty: as the browser says, and UTC. */
  PreferencesChosen: maySkip(
    {
      language: z.string().describe('BCP 47'),
      timeZone: z.string().describe('of IANA'),
      at: instant,
    },
    {
      ...ofAccount,
      personal: { fields: ['language', 'timeZone'], subject },
      sentence: (_, { words, user, streamId }) => words.PreferencesChosen(user(streamId)),
    },
  ),
  /** `email` is normalised. Whether the account owns it is decided by the claim on the address (EmailClaimed). */
  AccountEmailChanged: mustKnow(
    { email: z.string(), at: instant, emailVouchedBy },
    {
      ...ofAccount,
      personal: { fields: ['email'], subject },
      sentence: ({ emailVouchedBy }, { words, user, streamId }) =>
        words.AccountEmailChanged(user(streamId), emailVouchedBy !== 'nobody'),
    },
  ),
  RoleGranted: mustKnow(role, {
    ...ofAccount,
    sentence: ({ role, source }, { words, user, streamId }) =>
      words.RoleGranted(user(streamId), words.roles[role], source === 'claim'),
  }),
  RoleRemoved: mustKnow(role, {
    ...ofAccount,
    sentence: ({ role, source }, { words, user, streamId }) =>
      words.RoleRemoved(user(streamId), words.roles[role], source === 'claim'),
  }),
  /** The user signs in with this identity of a provider. */
  IdentityLinked: mustKnow(
    {
      provider: z.string().describe("the provider's `id` in `SIGN_IN_PROVIDERS_FILE`"),
      issuer: z.string(),
      subject: z.string(),
      digest: z.string().describe('names the stream of its claim'),
      at: instant,
    },
    {
      ...ofAccount,
      personal: { fields: ['subject'], subject },
      sentence: ({ provider }, { words, user, streamId }) =>
        words.IdentityLinked(markName(provider), user(streamId)),
    },
  ),
  /** The identity no longer opens the account. Sessions that began before have ended. */
  IdentityUnlinked: mustKnow(
    { provider: z.string(), digest: z.string(), at: instant },
    {
      ...ofAccount,
      sentence: ({ provider }, { words, user, streamId }) =>
        words.IdentityUnlinked(markName(provider), user(streamId)),
    },
  ),
  PasskeyAdded: mustKnow(
    {
      passkeyId: z.string(),
      name: z.string(),
      credentialId: z.string(),
      publicKey: z.string().describe('a COSE key, base64url'),
      counter: whole.describe('of signatures, by the authenticator'),
      synced: z.boolean().describe('it may be copied to other devices'),
      at: instant,
    },
    {
      ...ofAccount,
      personal: { fields: ['name', 'credentialId', 'publicKey'], subject },
      sentence: ({ passkeyId }, { words, user, streamId }) => words.PasskeyAdded(user(streamId), passkeyId),
    },
  ),
  PasskeyRenamed: maySkip(
    { passkeyId: z.string(), name: z.string(), at: instant },
    {
      ...ofAccount,
      personal: { fields: ['name'], subject },
      sentence: ({ passkeyId }, { words, user, streamId }) => words.PasskeyRenamed(passkeyId, user(streamId)),
    },
  ),
  /** It signs nobody in any more; its sessions have ended, except the one in which the user asked for it. */
  PasskeyRemoved: mustKnow(
    { passkeyId: z.string(), exceptSession: z.string().nullable(), at: instant },
    {
      ...ofAccount,
      sentence: ({ passkeyId, exceptSession }, { words, user, streamId }) =>
        words.PasskeyRemoved(passkeyId, user(streamId), exceptSession),
    },
  ),
  /**
   * All organizations that the provider's claim named: administered by claim, and no others. Again when a sign-in confirms it.
   * `signedOut`: confirmed by nothing until the next sign-in.
   */
  OrganizationsMapped: mustKnow(
    { organizationIds: z.array(z.string()), at: instant, signedOut: z.literal(true).nullable() },
    {
      ...ofAccount,
      sentence: ({ organizationIds, signedOut }, { words, user, organization, streamId }) =>
        signedOut
          ? words.SignedOutAtProvider(user(streamId))
          : words.OrganizationsMapped(user(streamId), organizationIds.map(organization).join(', ') || null),
    },
  ),
  /** All publishers that the provider's claim named: the user is a member of these by claim, and of no others. */
  PublishersMapped: mustKnow(
    { publisherIds: z.array(z.string()), at: instant },
    {
      ...ofAccount,
      sentence: ({ publisherIds }, { words, user, streamId }) =>
        words.PublishersMapped(user(streamId), publisherIds.join(', ') || null),
    },
  ),
};

const claim = { userId: z.string(), at: instant };
const ofClaim = {
  ...ofAccount,
  subjects: ({ userId }: { readonly userId: string }) => [user(userId)],
};

/** The claim on an e-mail address, in its own stream: the first append wins, until the address is released. */
export const emailEvents = {
  EmailClaimed: mustKnow(claim, {
    ...ofClaim,
    sentence: ({ userId }, { words, user }) => words.EmailClaimed(user(userId)),
  }),
  EmailReleased: mustKnow(claim, {
    ...ofClaim,
    sentence: ({ userId }, { words, user }) => words.EmailReleased(user(userId)),
  }),
};

/** The claim on an identity, in its own stream: the first append wins, until the identity is unlinked. */
export const identityEvents = {
  IdentityClaimed: mustKnow(claim, {
    ...ofClaim,
    sentence: ({ userId }, { words, user }) => words.IdentityClaimed(user(userId)),
  }),
  IdentityReleased: mustKnow(claim, {
    ...ofClaim,
    sentence: ({ userId }, { words, user }) => words.IdentityReleased(user(userId)),
  }),
};

/** Decided before an operator's account says that they stop being one: all such decisions are in one stream (ADR 60). */
export const operatorsEvents = {
  OperatorRemovalAllowed: mustKnow(
    {
      userId: z.string(),
      accountRevision: whole.describe('of the account; the removal is its next event, or did not happen'),
      remaining: z.string(),
      at: instant,
    },
    {
      ...ofAccount,
      subjects: ({ userId, remaining }) => [user(userId), user(remaining)],
      sentence: ({ userId, remaining }, { words, user }) =>
        words.OperatorRemovalAllowed(user(userId), user(remaining)),
    },
  ),
};

const ofToken = {
  ...ofAccount,
  kafka: internal("a person's own means to administer with; what is done with it goes out"),
};

/** The tokens of one user, for programs that do what the user may do as an administrator (AC-04). */
export const administratorTokenEvents = {
  AdministratorTokenIssued: mustKnow(
    {
      tokenId: z.string(),
      userId: z.string(),
      organizationId: z.string().nullable().describe('null: all that the user administers'),
      name: z.string(),
      keyId: z.string(),
      salt: z.string(),
      at: instant,
      expiresAt: instant,
      madeBy: z
        .strictObject({ actor: z.string(), tokenId: z.string().nullable() })
        .describe('the token with which it was made ends it'),
    },
    {
      ...ofToken,
      personal: { fields: ['name'], subject: ofNamed },
      ownStream: ({ userId }) => administratorTokensStream(userId),
      sentence: ({ tokenId, organizationId, expiresAt }, { words, user, organization, streamId, time }) =>
        words.AdministratorTokenIssued(
          user(streamId),
          tokenId,
          organizationId === null ? words.allOfUser : organization(organizationId),
          time(expiresAt),
        ),
    },
  ),
  AdministratorTokenRevoked: mustKnow(
    { tokenId: z.string(), at: instant },
    {
      ...ofToken,
      sentence: ({ tokenId }, { words, user, streamId }) =>
        words.AdministratorTokenRevoked(tokenId, user(streamId)),
    },
  ),
};
