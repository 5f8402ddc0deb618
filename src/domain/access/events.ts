import { z } from 'zod';
import { type DataIn, instant, listOf, mustKnow, type SentenceContext, whole } from '../describe-event.ts';
import { addon, organization, thisGrant, user, type Place } from '../event-subjects.ts';
import { as, inIdentity, internal, kept, plain, publish, utc } from '../kernel/publication.ts';
import { splitId } from '../kernel/stream-name.ts';
import { aboutGrant, approved, inSeconds, withdrawn } from '../signals/notice.ts';
import { addonTokenStream, grantStream } from '../streams.ts';
import { type Scope, scopes } from './scope.ts';

const whose = (subjectId: string, userId: string, { words, organization, user }: SentenceContext): string =>
  subjectId === userId
    ? words.recordsOfUser(user(userId))
    : words.recordsOfOrganization(organization(subjectId));

/** What a token of an add-on itself opens: Shared Signals. Users and organizations do not grant these. */
export const signalScopes = ['ssf.read', 'ssf.manage'] as const;

const ofAddonToken = {
  /** A program takes such a token each hour, which would hide what people did with the add-on. */
  subjects: null,
  /** What the add-on did itself. */
  notices: null,
  kafka: internal('it opens nothing of an organization or a user, only the add-on’s own signals'),
};

/** A token that a confidential add-on took for itself (RFC 6749 §4.4). Each has a stream of its own. */
export const addonTokenEvents = {
  AddonTokenIssued: mustKnow(
    {
      tokenId: z.string(),
      addonId: z.string(),
      secretId: z.string().describe('the token was taken with it, and ends with it'),
      scopes: z.array(z.enum(signalScopes)),
      at: instant,
      expiresAt: instant,
    },
    {
      ...ofAddonToken,
      ownStream: ({ tokenId }) => addonTokenStream(tokenId),
      sentence: ({ addonId, scopes, expiresAt }, { words, addon, time }) =>
        words.AddonTokenIssued(addon(addonId), scopes.join(' '), time(expiresAt)),
    },
  ),
  /** The add-on revoked it before it expired (RFC 7009). */
  AddonTokenRevoked: mustKnow(
    { at: instant },
    {
      ...ofAddonToken,
      sentence: (_, { words, streamId }) => words.AddonTokenRevoked(streamId),
    },
  ),
};

const at = as('at', utc);

const approval = (
  { userId, addonId }: { readonly userId: string; readonly addonId: string },
  { streamId }: Place,
) => {
  const [subjectId] = splitId(streamId);
  return [...(subjectId === userId ? [] : [organization(subjectId)]), addon(addonId), user(userId)];
};
const whoApproved = {
  userId: kept<string>('names who approved; where it is the subject, the subject says so'),
  addonId: inIdentity<string>(),
};

/**
 * What a user approved for an add-on, per subject (AC-05). `epoch` of an approval is the subject's (`GrantSubject`): an
 * approval of an older epoch is void (S5). `epoch` of a withdrawal counts this user's withdrawals from 1.
 */
export const consentEvents = {
  ScopesApproved: mustKnow(
    {
      userId: z.string(),
      addonId: z.string(),
      scopes: z.array(z.enum(scopes)),
      epoch: whole,
      choice: z.string().nullable().describe('among which subjects the user chose; null: unknown'),
      at: instant,
    },
    {
      subjects: approval,
      notices: approved,
      kafka: publish({
        ...whoApproved,
        scopes: as('scopes', plain<readonly Scope[]>()),
        epoch: as('epoch', plain<number>()),
        choice: kept<string | null>('says what the page offered to one person, not what was approved'),
        at,
      }),
      sentence: ({ userId, addonId, scopes }, telling) =>
        telling.words.ScopesApproved(
          telling.user(userId),
          telling.addon(addonId),
          listOf(scopes, telling),
          whose(splitId(telling.streamId)[0], userId, telling),
        ),
    },
  ),
  /** The scopes may also be used at another server's resource (RFC 8707), apart from the approval for our API (CL-06). */
  AudienceApproved: mustKnow(
    {
      userId: z.string(),
      addonId: z.string(),
      audience: z.string(),
      scopes: z.array(z.enum(scopes)),
      epoch: whole,
      choice: z.string().nullable(),
      at: instant,
    },
    {
      subjects: approval,
      notices: approved,
      kafka: internal('it concerns another resource server; what comes of it goes out with the grant'),
      sentence: ({ userId, addonId, audience, scopes }, telling) =>
        telling.words.AudienceApproved(
          telling.user(userId),
          telling.addon(addonId),
          listOf(scopes, telling),
          audience,
          whose(splitId(telling.streamId)[0], userId, telling),
        ),
    },
  ),
  ConsentWithdrawn: mustKnow(
    { userId: z.string(), addonId: z.string(), epoch: whole, at: instant },
    {
      subjects: approval,
      notices: withdrawn,
      kafka: publish({
        ...whoApproved,
        epoch: kept<number>("counts one person's withdrawals, which is no subject's epoch"),
        at,
      }),
      sentence: ({ userId, addonId }, telling) =>
        telling.words.ConsentWithdrawn(
          telling.user(userId),
          telling.addon(addonId),
          whose(splitId(telling.streamId)[0], userId, telling),
        ),
    },
  ),
};

export const grantRevocationReasons = [
  'addon-deactivated',
  'code-replayed',
  'refresh-token-reused',
  'too-many-failed-proofs',
  'revoked-by-addon',
  'revoked-by-operator',
  'consent-withdrawn',
  'account-disabled',
  'scope-removed',
  'redirect-uri-removed',
  'role-lost',
  'addon-retired',
] as const;

/** A reason from the log, in words where there are any. */
const because = (reason: string, { words }: SentenceContext): string =>
  (words.refusals as Readonly<Record<string, string>>)[reason] ?? reason;

const grantIn = ({ streamId, grant }: SentenceContext): string => grant(streamId);
const addonIn = ({ owner, addon }: SentenceContext): string | null =>
  owner?.addonId ? addon(owner.addonId) : null;

const ofGrant = {
  subjects: thisGrant,
  /** What the add-on did itself, or was answered; after a replayed code or a reused token, a GrantRevoked follows. */
  notices: null,
};

/** Repeated here, so that an additional field in a subject needs a decision, too. */
type Subject =
  | { readonly kind: 'organization'; readonly organizationId: string; readonly epoch: number }
  | { readonly kind: 'user'; readonly userId: string; readonly epoch: number };
type Authentication = { readonly acr: string | null; readonly amr: readonly string[] | null };
type Counts = {
  readonly rejections: number;
  readonly hour: { readonly began: number; readonly rotations: number };
};

const credential = kept<string>('is material that credentials are derived from');
const secrets = { keyId: credential, salt: credential };
const rotation = as('rotation', plain<number>());
const reason = as('reason', plain<string>());
const narrowed = as('resources', plain<readonly string[] | null>());
const expiries = {
  accessExpiresAt: as('access_token_expires_at', utc),
  refreshIdleExpiresAt: as('refresh_token_expires_at', utc),
};

/**
 * One authorization, in one stream: its revision makes a code work once and detects reuse. `salt` (16 random bytes, base64url) and `keyId`
 * derive the credentials again, with the server's key only.
 */
export const grantEvents = {
  AuthorizationCodeIssued: mustKnow(
    {
      grantId: z.string(),
      addonId: z.string(),
      userId: z.string().describe('who approved'),
      subject: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('organization'), organizationId: z.string(), epoch: whole }),
        z.strictObject({ kind: z.literal('user'), userId: z.string(), epoch: whole }),
      ]),
      scopes: z.array(z.enum(scopes)),
      redirectUri: z.string(),
      codeChallenge: z.string(),
      nonce: z.string().nullable(),
      resources: z.array(z.string()).describe('RFC 8707 §2; empty: our own API'),
      authTime: instant,
      /** What the user's provider says about the sign-in; null where there is none. */
      authentication: z
        .strictObject({ acr: z.string().nullable(), amr: z.array(z.string()).nullable() })
        .nullable(),
      keyId: z.string(),
      salt: z.string(),
      at: instant,
      expiresAt: instant,
    },
    {
      ...ofGrant,
      ownStream: ({ grantId }) => grantStream(grantId),
      kafka: publish({
        grantId: inIdentity<string>(),
        addonId: inIdentity<string>(),
        subject: inIdentity<Subject>(),
        userId: kept<string>('names who approved'),
        scopes: as('scopes', plain<readonly Scope[]>()),
        resources: as('resources', plain<readonly string[]>()),
        redirectUri: kept<string>('is between the add-on and the authorization endpoint'),
        codeChallenge: kept<string>('is what the code is bound to'),
        nonce: kept<string | null>('is between the add-on and its user'),
        authTime: kept<number>('says when a person signed in'),
        authentication: kept<Authentication | null>('says how a person signed in'),
        ...secrets,
        at,
        expiresAt: as('code_expires_at', utc),
      }),
      sentence: ({ grantId, addonId, userId, subject, scopes }, telling) =>
        telling.words.AuthorizationCodeIssued(
          listOf(scopes, telling),
          whose(subject.kind === 'organization' ? subject.organizationId : userId, userId, telling),
          telling.addon(addonId),
          telling.grant(grantId),
          telling.user(userId),
        ),
    },
  ),
  AuthorizationCodeRedeemed: mustKnow(
    {
      keyId: z.string(),
      salt: z.string(),
      at: instant,
      accessExpiresAt: instant,
      refreshIdleExpiresAt: instant,
      refreshAbsoluteExpiresAt: instant,
      resources: z
        .array(z.string())
        .nullable()
        .describe("those of the access token; null: all of the grant's"),
    },
    {
      ...ofGrant,
      kafka: publish({
        ...secrets,
        at,
        ...expiries,
        refreshAbsoluteExpiresAt: as('grant_expires_at', utc),
        resources: narrowed,
      }),
      sentence: ({ accessExpiresAt }, telling) =>
        telling.words.AuthorizationCodeRedeemed(
          addonIn(telling),
          grantIn(telling),
          telling.time(accessExpiresAt),
        ),
    },
  ),
  CodeExchangeRejected: mustKnow(
    { reason: z.string(), at: instant },
    {
      ...ofGrant,
      kafka: publish({ reason, at }),
      sentence: ({ reason }, telling) =>
        telling.words.CodeExchangeRejected(grantIn(telling), because(reason, telling)),
    },
  ),
  AuthorizationCodeReplayed: mustKnow(
    { at: instant },
    {
      ...ofGrant,
      kafka: publish({ at }),
      sentence: (_, telling) => telling.words.AuthorizationCodeReplayed(grantIn(telling)),
    },
  ),
  TokensRefreshed: mustKnow(
    {
      rotation: whole.describe('0 for the pair of the exchange'),
      keyId: z.string(),
      salt: z.string(),
      scopes: z.array(z.enum(scopes)).describe("of the access token; the refresh token keeps the grant's"),
      at: instant,
      accessExpiresAt: instant,
      refreshIdleExpiresAt: instant,
      graceUntil: instant,
      resources: z
        .array(z.string())
        .nullable()
        .describe("those of the access token; null: all of the grant's"),
      /** What decisions need up to and including a rotation and neither the first events nor the last two rotations contain (GR-01). */
      counts: z.strictObject({
        rejections: whole,
        hour: z.strictObject({ began: instant, rotations: whole }),
      }),
    },
    {
      ...ofGrant,
      kafka: publish({
        rotation,
        ...secrets,
        scopes: as('scopes', plain<readonly Scope[]>()),
        at,
        ...expiries,
        graceUntil: kept<number>(
          'is how an answer that got lost is given again, nothing that a reader can use',
        ),
        resources: narrowed,
        counts: kept<Counts>(
          'is a running count for the next decision, and follows from the events before it',
        ),
      }),
      sentence: ({ rotation, scopes, accessExpiresAt }, telling) =>
        telling.words.TokensRefreshed(
          addonIn(telling),
          grantIn(telling),
          rotation,
          listOf(scopes, telling),
          telling.time(accessExpiresAt),
        ),
    },
  ),
  /** The pair was withheld because the add-on was suspended: the predecessor may ask again later (SU-01). */
  TokensWithheld: mustKnow(
    { rotation: whole, at: instant },
    {
      ...ofGrant,
      kafka: publish({ rotation, at }),
      sentence: ({ rotation }, telling) => telling.words.TokensWithheld(grantIn(telling), rotation),
    },
  ),
  RefreshRejected: mustKnow(
    { rotation: whole, reason: z.string(), at: instant },
    {
      ...ofGrant,
      kafka: publish({ rotation, reason, at }),
      sentence: ({ rotation, reason }, telling) =>
        telling.words.RefreshRejected(grantIn(telling), rotation, because(reason, telling)),
    },
  ),
  RefreshTokenReused: mustKnow(
    { rotation: whole, at: instant },
    {
      ...ofGrant,
      kafka: publish({ rotation, at }),
      sentence: ({ rotation }, telling) => telling.words.RefreshTokenReused(grantIn(telling), rotation),
    },
  ),
  AccessTokenRevoked: mustKnow(
    { rotation: whole, at: instant },
    {
      ...ofGrant,
      /** One access token; the others of the grant go on. `jti` is that of introspection. */
      notices: ({ rotation, at }, context) =>
        aboutGrant(context, 'tokenRevoked', {
          event_timestamp: inSeconds(at),
          token_type: 'access_token',
          jti: `access.${context.streamId}.${rotation}`,
        }),
      kafka: publish({ rotation, at }),
      sentence: ({ rotation }, telling) =>
        telling.words.AccessTokenRevoked(addonIn(telling), rotation, grantIn(telling)),
    },
  ),
  GrantRevoked: mustKnow(
    { reason: z.enum(grantRevocationReasons), at: instant },
    {
      ...ofGrant,
      /** Every token of the grant. The deactivation or the retirement notifies of these, with one SET for all grants. */
      notices: ({ reason, at }, context) =>
        reason === 'addon-deactivated' || reason === 'addon-retired'
          ? []
          : aboutGrant(context, 'tokensRevoked', { event_timestamp: inSeconds(at), reason }),
      kafka: publish({ reason: as('reason', plain<(typeof grantRevocationReasons)[number]>()), at }),
      sentence: (_, telling) => telling.words.GrantRevoked(grantIn(telling), addonIn(telling)),
    },
  ),
};

export type GrantData<T extends keyof typeof grantEvents> = DataIn<typeof grantEvents, T>;
