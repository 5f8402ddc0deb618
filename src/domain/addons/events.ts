import { z } from 'zod';
import { allowableScopes, type AllowedScope } from '../access/scope.ts';
import { type DataOf, instant, maySkip, mustKnow, type SentenceContext } from '../describe-event.ts';
import { addon, thisAddon, user } from '../event-subjects.ts';
import { as, inIdentity, internal, kept, plain, publish, utc } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { aboutAddon, changed } from '../signals/notice.ts';
import { addonStream } from '../streams.ts';

export const grantTypes = ['authorization_code', 'refresh_token'] as const;
/** The algorithms that may sign id_tokens; RS256 unless the add-on was registered for ES256 (RFC 7518 §3.1). */
export const idTokenAlgs = ['RS256', 'ES256'] as const;

/** The new values; null for what stays as it is. */
const updated = {
  name: z.string().nullable(),
  redirectUris: z.array(z.string()).nullable(),
  configurationUrl: z.string().nullable(),
  allowedScopes: z.array(z.enum(allowableScopes)).nullable(),
  postLogoutRedirectUris: z.array(z.string()).nullable(),
  publisher: z.string().nullable(),
  website: z.string().nullable(),
  privacyUrl: z.string().nullable(),
  supportUrl: z.string().nullable(),
  logo: z
    .strictObject({ mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp']), data: z.string() })
    .nullable()
    .describe('`data` in base64'),
};
type Updated = DataOf<typeof updated>;
type AddonLogo = NonNullable<Updated['logo']>;

/** What an add-on may be without. */
export const unsettable = [
  'configurationUrl',
  'publisher',
  'website',
  'privacyUrl',
  'supportUrl',
  'logo',
] as const;

const listOf = (list: readonly AllowedScope[], { scopes }: SentenceContext) =>
  list.length === 0 ? 'no scope' : scopes(list);

const changesIn = (data: Updated, telling: SentenceContext): string => {
  const { name, redirectUris, configurationUrl, allowedScopes, postLogoutRedirectUris, publisher } = data;
  const changes = [
    name === null ? '' : `it is now called "${markName(name)}"`,
    redirectUris === null ? '' : `its redirect URIs are now ${redirectUris.join(' ') || 'none'}`,
    configurationUrl === null ? '' : `its configuration URL is now ${configurationUrl}`,
    allowedScopes === null ? '' : `it may now ask for ${listOf(allowedScopes, telling)}`,
    postLogoutRedirectUris === null
      ? ''
      : `a sign-out may now lead to ${postLogoutRedirectUris.join(' ') || 'no address'}`,
    publisher === null ? '' : `its publisher is now "${markName(publisher)}"`,
    data.website === null ? '' : `its website is now ${data.website}`,
    data.privacyUrl === null ? '' : `its privacy address is now ${data.privacyUrl}`,
    data.supportUrl === null ? '' : `its support address is now ${data.supportUrl}`,
    data.logo === null ? '' : 'it has a new logo',
  ];
  return changes.filter((change) => change !== '').join('; ');
};

const wireNames: Readonly<Record<keyof Updated, string>> = {
  name: 'name',
  redirectUris: 'redirect_uris',
  configurationUrl: 'configuration_url',
  allowedScopes: 'allowed_scopes',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  publisher: 'publisher',
  website: 'website',
  privacyUrl: 'privacy_url',
  supportUrl: 'support_url',
  logo: 'logo',
};

/** By an id: nothing that could lead to the secret is disclosed. */
const secretRotated = (change: 'added' | 'removed') =>
  aboutAddon('secret-rotated', ({ secretId }: { readonly secretId: string }) => ({
    change,
    secret_id: secretId,
    reason: `A client secret was ${change}.`,
  }));

const ofSecret = {
  subjects: thisAddon,
  kafka: internal('how an add-on proves who it is concerns nobody else, and decides nothing'),
};
const ofAudience = {
  subjects: thisAddon,
  notices: changed(['allowed_audiences']),
  kafka: internal(
    'what an add-on may ask for is between it and the operator; what it gets goes out with the grant',
  ),
};
const proposal = {
  subjects: thisAddon,
  notices: null,
  kafka: internal(
    'what a publisher proposes changes nothing; what is approved goes out as the change that it is',
  ),
};

/** What a publisher proposes; null, or an empty list, for what stays as it is. */
const proposed = {
  addRedirectUris: z.array(z.string()),
  removeRedirectUris: z.array(z.string()),
  configurationUrl: z.string().nullable(),
  addPostLogoutRedirectUris: z.array(z.string()),
  removePostLogoutRedirectUris: z.array(z.string()),
  website: z.string().nullable(),
  privacyUrl: z.string().nullable(),
  supportUrl: z.string().nullable(),
};

const proposedIn = (data: DataOf<typeof proposed>): string => {
  const change = (words: string, uris: readonly string[]) =>
    uris.length === 0 ? [] : [`${words} ${uris.join(' ')}`];
  const address = (words: string, url: string | null) => (url === null ? [] : [`${words} ${url}`]);
  return [
    ...change('add the redirect URI', data.addRedirectUris),
    ...change('remove the redirect URI', data.removeRedirectUris),
    ...address('set the configuration URL to', data.configurationUrl),
    ...change('let a sign-out lead to', data.addPostLogoutRedirectUris),
    ...change('let no sign-out lead to', data.removePostLogoutRedirectUris),
    ...address('set the website to', data.website),
    ...address('set the privacy address to', data.privacyUrl),
    ...address('set the support address to', data.supportUrl),
  ].join('; ');
};

const at = as('at', utc);
const isShown = 'is for people who look at our pages';
const ofStatus = { subjects: thisAddon, kafka: publish({ at }) };

/** An add-on as its provider registered it. Registration is an operator's act, never an API call (AD-01). */
export const addonEvents = {
  AddonRegistered: mustKnow(
    {
      addonId: z.string(),
      name: z.string(),
      redirectUris: z.array(z.string()),
      configurationUrl: z.string().nullable(),
      allowedScopes: z.array(z.enum(allowableScopes)),
      confidential: z.boolean(),
      grantTypes: z.array(z.enum(grantTypes)).describe('none for a resource server'),
      postLogoutRedirectUris: z.array(z.string()).describe('RP-Initiated Logout §3'),
      idTokenAlg: z.enum(idTokenAlgs),
      audiences: z.array(z.string()).describe('RFC 8707: it may introspect tokens for them'),
      at: instant,
    },
    {
      subjects: thisAddon,
      /** Its add-on has no stream yet. */
      notices: null,
      ownStream: ({ addonId }) => addonStream(addonId),
      kafka: publish({
        addonId: inIdentity<string>(),
        name: kept<string>('is a name'),
        redirectUris: kept<readonly string[]>('is between the add-on and the authorization endpoint'),
        configurationUrl: kept<string | null>("is where the add-on's own settings are"),
        allowedScopes: as('allowed_scopes', plain<readonly AllowedScope[]>()),
        confidential: as('confidential', plain<boolean>()),
        grantTypes: as('grant_types', plain<readonly (typeof grantTypes)[number][]>()),
        postLogoutRedirectUris: kept<readonly string[]>('is between the add-on and the sign-out'),
        idTokenAlg: kept<(typeof idTokenAlgs)[number]>('is between the add-on and its id_tokens'),
        audiences: as('audiences', plain<readonly string[]>()),
        at,
      }),
      sentence: ({ name, allowedScopes }, telling) =>
        `${telling.addon(telling.streamId)} was registered as "${markName(name)}" and may ask for ${listOf(allowedScopes, telling)}.`,
    },
  ),
  /** Digest of a client secret: SHA-256, base64url (the secret itself has 256 random bits; AD-02). */
  AddonSecretAdded: mustKnow(
    { secretId: z.string(), digest: z.string(), at: instant },
    {
      ...ofSecret,
      notices: secretRotated('added'),
      sentence: ({ secretId }, { addon, streamId }) =>
        `${addon(streamId)} got the client secret ${secretId}.`,
    },
  ),
  AddonSecretRemoved: mustKnow(
    { secretId: z.string(), at: instant },
    {
      ...ofSecret,
      notices: secretRotated('removed'),
      sentence: ({ secretId }, { addon, streamId }) =>
        `The client secret ${secretId} of ${addon(streamId)} is no longer valid.`,
    },
  ),
  /** An operator allows the add-on to ask for access to this resource of another server (RFC 8707; CL-06). */
  AddonAudienceAllowed: mustKnow(
    {
      audience: z.string(),
      resourceServerId: z.string().nullable(),
      at: instant,
    },
    {
      ...ofAudience,
      sentence: ({ audience }, { addon, streamId }) =>
        `${addon(streamId)} was allowed to ask for access to "${audience}".`,
    },
  ),
  AddonAudienceDisallowed: mustKnow(
    { audience: z.string(), at: instant },
    {
      ...ofAudience,
      sentence: ({ audience }, { addon, streamId }) =>
        `${addon(streamId)} may no longer ask for access to "${audience}"; existing grants do not change.`,
    },
  ),
  AddonSuspended: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      notices: aboutAddon('addon-suspended', () => ({ reason: 'An operator suspended the add-on.' })),
      sentence: (_, { addon, streamId }) =>
        `${addon(streamId)} was suspended: everything it holds is refused until it is resumed.`,
    },
  ),
  AddonResumed: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      notices: aboutAddon('addon-resumed', () => ({ reason: 'An operator ended the suspension.' })),
      sentence: (_, { addon, streamId }) =>
        `The suspension of ${addon(streamId)} was lifted: what had not ended works again.`,
    },
  ),
  AddonUpdated: mustKnow(
    { ...updated, at: instant },
    {
      subjects: thisAddon,
      notices: (data, context) =>
        changed(
          Object.entries(wireNames).flatMap(([field, name]) =>
            data[field as keyof Updated] === null ? [] : [name],
          ),
        )(data, context),
      kafka: publish({
        name: kept<string | null>('is a name'),
        redirectUris: kept<readonly string[] | null>('is between the add-on and the authorization endpoint'),
        configurationUrl: kept<string | null>("is where the add-on's own settings are"),
        allowedScopes: as('allowed_scopes', plain<readonly AllowedScope[] | null>()),
        postLogoutRedirectUris: kept<readonly string[] | null>('is between the add-on and the sign-out'),
        publisher: kept<string | null>('is a name'),
        website: kept<string | null>(isShown),
        privacyUrl: kept<string | null>(isShown),
        supportUrl: kept<string | null>(isShown),
        logo: kept<AddonLogo | null>(isShown),
        at,
      }),
      sentence: (data, telling) =>
        `${telling.addon(telling.streamId)} was changed: ${changesIn(data, telling)}.`,
    },
  ),
  /** What `AddonUpdated` cannot say: that a property is no longer there, and which resources the add-on answers for. */
  AddonPropertiesReplaced: mustKnow(
    {
      unset: z.array(z.enum(unsettable)),
      audiences: z.array(z.string()).nullable().describe('the whole list; null: as before'),
      at: instant,
    },
    {
      subjects: thisAddon,
      notices: ({ unset, audiences }, context) =>
        changed([...unset.map((field) => wireNames[field]), ...(audiences === null ? [] : ['audiences'])])(
          { unset, audiences },
          context,
        ),
      kafka: publish({
        unset: kept<readonly (typeof unsettable)[number][]>(
          'is what people see, and what is between the add-on and us',
        ),
        audiences: as('audiences', plain<readonly string[] | null>()),
        at,
      }),
      sentence: ({ unset, audiences }, { addon, streamId }) => {
        const changes = [
          ...(unset.length === 0
            ? []
            : [`it has no ${unset.map((field) => wireNames[field]).join(', ')} any more`]),
          ...(audiences === null
            ? []
            : [
                `it answers now for ${audiences.join(' ') || 'no resource'}, and may introspect tokens for that`,
              ]),
        ];
        return `${addon(streamId)} was changed: ${changes.join('; ')}.`;
      },
    },
  ),
  AddonRetired: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      /** A poll needs a token, which ends with the add-on: only who is pushed to still hears it. */
      notices: changed(['retired'], 'An operator retired the add-on.'),
      sentence: (_, { addon, streamId }) =>
        `${addon(streamId)} was permanently retired: all its codes and tokens have ended.`,
    },
  ),
  /** Whose members look after the add-on; null: nobody's. Its `publisher` is that one's name from then on (AddonUpdated). */
  AddonPublisherSet: mustKnow(
    { publisherId: z.string().nullable(), at: instant },
    {
      ...proposal,
      kafka: internal('who looks after an add-on authorizes nothing'),
      sentence: ({ publisherId }, { addon, streamId }) =>
        publisherId === null
          ? `${addon(streamId)} no longer belongs to a publisher.`
          : `${addon(streamId)} belongs to the publisher ${publisherId}: its members look after it.`,
    },
  ),
  /** Whether people who approve read that the platform has checked the add-on; before the first of them, they do not. */
  AddonVerificationSet: maySkip(
    { verified: z.boolean().describe('true: it is'), at: instant },
    {
      subjects: thisAddon,
      notices: null,
      kafka: internal('what people read when they approve authorizes nothing'),
      sentence: ({ verified }, { addon, streamId }) =>
        verified ? `${addon(streamId)} was verified.` : `${addon(streamId)} is no longer verified.`,
    },
  ),
  /** `by` is a member of the publisher, who may not approve it as an operator. */
  AddonChangeRequested: maySkip(
    { changeId: z.string(), by: z.string(), ...proposed, at: instant },
    {
      ...proposal,
      subjects: ({ by }: { readonly by: string }, { streamId }) => [addon(streamId), user(by)],
      sentence: ({ changeId, ...data }, { addon, streamId }) =>
        `The change ${changeId} of ${addon(streamId)} was proposed: ${proposedIn(data)}.`,
    },
  ),
  /** What it changes is in the same append (AddonUpdated). */
  AddonChangeApproved: maySkip(
    { changeId: z.string(), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { addon, streamId }) =>
        `The change ${changeId} of ${addon(streamId)} was approved.`,
    },
  ),
  AddonChangeRefused: maySkip(
    { changeId: z.string(), reason: z.string().nullable().describe('for the publisher'), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { addon, streamId }) =>
        `The change ${changeId} of ${addon(streamId)} was refused.`,
    },
  ),
  AddonChangeWithdrawn: maySkip(
    { changeId: z.string(), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { addon, streamId }) =>
        `The change ${changeId} of ${addon(streamId)} was withdrawn.`,
    },
  ),
};
