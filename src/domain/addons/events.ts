import { z } from 'zod';
import { allowableScopes, type AllowedScope } from '../access/scope.ts';
import { type DataOf, instant, listOf, maySkip, mustKnow, type SentenceContext } from '../describe-event.ts';
import { addon, thisAddon, user } from '../event-subjects.ts';
import { as, inIdentity, internal, kept, plain, publish, utc } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { aboutAddon, changed } from '../signals/notice.ts';
import { addonStream } from '../streams.ts';
import { snakeCase } from '../kernel/snake-case.ts';
import { eachWebAddress, webAddresses } from './web-addresses.ts';

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
  ...eachWebAddress(() => z.string().nullable()),
  logo: z
    .strictObject({ mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp']), data: z.string() })
    .nullable()
    .describe('`data` in base64'),
};
type Updated = DataOf<typeof updated>;
type AddonLogo = NonNullable<Updated['logo']>;

/** What an add-on may be without. */
export const unsettable = ['configurationUrl', 'publisher', ...webAddresses, 'logo'] as const;

/** What is said of each value that is there. */
const said = <T>(value: T | null, say: (value: T) => string): readonly string[] =>
  value === null ? [] : [say(value)];

const changesIn = (data: Updated, telling: SentenceContext): string => {
  const { changed, none, noAddress } = telling.words;
  return [
    ...said(data.name, (name) => changed.name(markName(name))),
    ...said(data.redirectUris, (uris) => changed.redirectUris(uris.join(' ') || none)),
    ...said(data.configurationUrl, changed.configurationUrl),
    ...said(data.allowedScopes, (scopes) => changed.allowedScopes(listOf(scopes, telling))),
    ...said(data.postLogoutRedirectUris, (uris) =>
      changed.postLogoutRedirectUris(uris.join(' ') || noAddress),
    ),
    ...said(data.publisher, (publisher) => changed.publisher(markName(publisher))),
    ...webAddresses.flatMap((name) => said(data[name], changed[name])),
    ...said(data.logo, () => changed.logo),
  ].join('; ');
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
  ...eachWebAddress(() => z.string().nullable()),
};

const proposedIn = (data: DataOf<typeof proposed>, words: SentenceContext['words']): string => {
  const say = words.proposed;
  const list = (uris: readonly string[], of: (uris: string) => string) => said(uris.join(' ') || null, of);
  return [
    ...list(data.addRedirectUris, say.addRedirectUris),
    ...list(data.removeRedirectUris, say.removeRedirectUris),
    ...said(data.configurationUrl, say.configurationUrl),
    ...list(data.addPostLogoutRedirectUris, say.addPostLogoutRedirectUris),
    ...list(data.removePostLogoutRedirectUris, say.removePostLogoutRedirectUris),
    ...webAddresses.flatMap((name) => said(data[name], words.proposed[name])),
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
        telling.words.AddonRegistered(
          telling.addon(telling.streamId),
          markName(name),
          listOf(allowedScopes, telling),
        ),
    },
  ),
  /** Digest of a client secret: SHA-256, base64url (the secret itself has 256 random bits; AD-02). */
  AddonSecretAdded: mustKnow(
    { secretId: z.string(), digest: z.string(), at: instant },
    {
      ...ofSecret,
      notices: secretRotated('added'),
      sentence: ({ secretId }, { words, addon, streamId }) =>
        words.AddonSecretAdded(addon(streamId), secretId),
    },
  ),
  AddonSecretRemoved: mustKnow(
    { secretId: z.string(), at: instant },
    {
      ...ofSecret,
      notices: secretRotated('removed'),
      sentence: ({ secretId }, { words, addon, streamId }) =>
        words.AddonSecretRemoved(secretId, addon(streamId)),
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
      sentence: ({ audience }, { words, addon, streamId }) =>
        words.AddonAudienceAllowed(addon(streamId), audience),
    },
  ),
  AddonAudienceDisallowed: mustKnow(
    { audience: z.string(), at: instant },
    {
      ...ofAudience,
      sentence: ({ audience }, { words, addon, streamId }) =>
        words.AddonAudienceDisallowed(addon(streamId), audience),
    },
  ),
  AddonSuspended: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      notices: aboutAddon('addon-suspended', () => ({ reason: 'An operator suspended the add-on.' })),
      sentence: (_, { words, addon, streamId }) => words.AddonSuspended(addon(streamId)),
    },
  ),
  AddonResumed: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      notices: aboutAddon('addon-resumed', () => ({ reason: 'An operator ended the suspension.' })),
      sentence: (_, { words, addon, streamId }) => words.AddonResumed(addon(streamId)),
    },
  ),
  AddonUpdated: mustKnow(
    { ...updated, at: instant },
    {
      subjects: thisAddon,
      notices: (data, context) =>
        changed(
          (Object.keys(updated) as (keyof Updated)[]).flatMap((field) =>
            data[field] === null ? [] : [snakeCase(field)],
          ),
        )(data, context),
      kafka: publish({
        name: kept<string | null>('is a name'),
        redirectUris: kept<readonly string[] | null>('is between the add-on and the authorization endpoint'),
        configurationUrl: kept<string | null>("is where the add-on's own settings are"),
        allowedScopes: as('allowed_scopes', plain<readonly AllowedScope[] | null>()),
        postLogoutRedirectUris: kept<readonly string[] | null>('is between the add-on and the sign-out'),
        publisher: kept<string | null>('is a name'),
        ...eachWebAddress(() => kept<string | null>(isShown)),
        logo: kept<AddonLogo | null>(isShown),
        at,
      }),
      sentence: (data, telling) =>
        telling.words.AddonChanged(telling.addon(telling.streamId), changesIn(data, telling)),
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
        changed([...unset.map(snakeCase), ...(audiences === null ? [] : ['audiences'])])(
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
      sentence: ({ unset, audiences }, { words, addon, streamId }) =>
        words.AddonChanged(
          addon(streamId),
          [
            ...(unset.length === 0
              ? []
              : [words.changed.unset(unset.map((field) => words.properties[field]).join(', '))]),
            ...(audiences === null ? [] : [words.changed.audiences(audiences.join(' ') || words.noResource)]),
          ].join('; '),
        ),
    },
  ),
  AddonRetired: mustKnow(
    { at: instant },
    {
      ...ofStatus,
      /** A poll needs a token, which ends with the add-on: only who is pushed to still hears it. */
      notices: changed(['retired'], 'An operator retired the add-on.'),
      sentence: (_, { words, addon, streamId }) => words.AddonRetired(addon(streamId)),
    },
  ),
  /** Whose members look after the add-on; null: nobody's. Its `publisher` is that one's name from then on (AddonUpdated). */
  AddonPublisherSet: mustKnow(
    { publisherId: z.string().nullable(), at: instant },
    {
      ...proposal,
      kafka: internal('who looks after an add-on authorizes nothing'),
      sentence: ({ publisherId }, { words, addon, streamId }) =>
        words.AddonPublisherSet(addon(streamId), publisherId),
    },
  ),
  /** Whether people who approve read that the platform has checked the add-on; before the first of them, they do not. */
  AddonVerificationSet: maySkip(
    { verified: z.boolean().describe('true: it is'), at: instant },
    {
      subjects: thisAddon,
      notices: null,
      kafka: internal('what people read when they approve authorizes nothing'),
      sentence: ({ verified }, { words, addon, streamId }) =>
        words.AddonVerificationSet(addon(streamId), verified),
    },
  ),
  /** `by` is a member of the publisher, who may not approve it as an operator. */
  AddonChangeRequested: maySkip(
    { changeId: z.string(), by: z.string(), ...proposed, at: instant },
    {
      ...proposal,
      subjects: ({ by }: { readonly by: string }, { streamId }) => [addon(streamId), user(by)],
      sentence: ({ changeId, ...data }, { words, addon, streamId }) =>
        words.AddonChangeRequested(changeId, addon(streamId), proposedIn(data, words)),
    },
  ),
  /** What it changes is in the same append (AddonUpdated). */
  AddonChangeApproved: maySkip(
    { changeId: z.string(), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { words, addon, streamId }) =>
        words.AddonChangeApproved(changeId, addon(streamId)),
    },
  ),
  AddonChangeRefused: maySkip(
    { changeId: z.string(), reason: z.string().nullable().describe('for the publisher'), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { words, addon, streamId }) =>
        words.AddonChangeRefused(changeId, addon(streamId)),
    },
  ),
  AddonChangeWithdrawn: maySkip(
    { changeId: z.string(), at: instant },
    {
      ...proposal,
      sentence: ({ changeId }, { words, addon, streamId }) =>
        words.AddonChangeWithdrawn(changeId, addon(streamId)),
    },
  ),
};
