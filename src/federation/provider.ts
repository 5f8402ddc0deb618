import * as client from 'openid-client';
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import { withTimeout } from '../common/with-timeout.ts';
import { limitedFetch } from './limited-fetch.ts';
import { checkLogoutToken, type LogoutToken } from './logout-token.ts';
import { ProviderTrouble } from './provider-trouble.ts';
import { claimOf, joinClaims } from './read-claims.ts';
import { explain } from './explain.ts';

/** What the browser is sent to the provider with. */
export type Leaving = {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** `prompt`, `max_age`, `login_hint`, `ui_locales`, `acr_values`. */
  readonly passedOn: Readonly<Record<string, string>>;
};

/** The provider's answer about a user, verified. Times in milliseconds since the Unix epoch. */
export type ProviderIdentity = {
  readonly subject: string;
  readonly idToken: string;
  readonly issuedAt: number;
  /** Null where the provider does not say. */
  readonly authTime: number | null;
  readonly acr: string | null;
  readonly amr: readonly string[] | null;
  readonly sid: string | null;
  readonly claims: Readonly<Record<string, unknown>>;
};

export type Provider = {
  readonly settings: SignInProvider;
  /** Where the browser goes to sign in. @throws ProviderTrouble */
  signInUrl(leaving: Leaving): Promise<string>;
  /** @param returned the address that the browser came back to. @throws ProviderTrouble */
  identify(returned: URL, sent: Pick<Leaving, 'state' | 'nonce' | 'verifier'>): Promise<ProviderIdentity>;
  /** Where the browser goes to sign out; null where the provider has no such page, or cannot be asked. */
  signOutUrl(leaving: {
    readonly returnTo: string;
    readonly state: string;
    readonly idToken: string | null;
  }): Promise<string | null>;
  /** @throws ProviderTrouble when the provider's keys cannot be read */
  verifyLogoutToken(token: string): Promise<{ readonly token: LogoutToken } | { readonly problem: string }>;
  /** `ok`, or what is wrong: as of a moment ago. */
  status(): Promise<string>;
};

type Metadata = client.ServerMetadata;

/** In milliseconds: what a sign-in may wait for the provider, before and after the user was there. */
const patience = { leaving: 3_500, returning: 6_000, status: 2_500 };

/** Metadata is read again after this; until then, a provider that is away delays nobody. In milliseconds. */
const metadataAge = 600_000;
const statusAge = 15_000;

/** In seconds. */
const clockTolerance = 60;
const keySetsApart = 5;
/** After this, openid-client reads the key set again when it does not know a key. In seconds. */
const libraryApart = 60;

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

type KeySet = { readonly jwks: JSONWebKeySet; readonly uat: number };

type Dependencies = { readonly now: () => number };

/** One provider: openid-client does the protocol, here are its limits, and what it keeps between calls. */
export const makeProvider = (settings: SignInProvider, { now }: Dependencies): Provider => {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  let known: { readonly metadata: Metadata; readonly at: number } | null = null;
  let reading: Promise<Metadata> | null = null;
  let seen: { readonly state: string; readonly at: number } | null = null;
  let keySet: KeySet | null = null;

  const readMetadata = async (): Promise<Metadata> => {
    const discovered = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: limitedFetch,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    });
    const metadata = discovered.serverMetadata();
    if (metadata.issuer !== issuer)
      throw new ProviderTrouble('invalid-answer', 'its discovery document names another issuer');
    known = { metadata: { ...metadata }, at: now() };
    return known.metadata;
  };

  /** One call at a time, whoever asks. */
  const read = (): Promise<Metadata> => {
    reading ??= readMetadata()
      .then(
        (metadata) => {
          seen = { state: 'ok', at: now() };
          return metadata;
        },
        (error: unknown) => {
          const trouble = explain(error);
          seen = { state: trouble.found, at: now() };
          throw trouble;
        },
      )
      .finally(() => (reading = null));
    return reading;
  };

  const metadataOf = (): Promise<Metadata> =>
    known && now() < known.at + metadataAge ? Promise.resolve(known.metadata) : read();

  /** A configuration of its own for each call: the library keeps a key set for each, and here is the one for all. */
  const configurationOf = (metadata: Metadata): client.Configuration => {
    const configuration = new client.Configuration(
      metadata,
      clientId,
      {
        [client.clockTolerance]: clockTolerance,
        ...(clientSecret !== null && { client_secret: clientSecret }),
      },
      authenticationOf(metadata, clientSecret),
    );
    configuration[client.customFetch] = (url, options) => limitedFetch(url, options as object);
    if (isPlain) client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    // Ages the set for the library, which otherwise reads it again only after a minute when it does not know a key.
    if (keySet)
      client.setJwksCache(configuration, {
        jwks: keySet.jwks as never,
        uat: keySet.uat - (libraryApart - keySetsApart),
      });
    return configuration;
  };

  const rememberKeys = (configuration: client.Configuration): void => {
    const cached = client.getJwksCache(configuration);
    if (cached && cached.uat > (keySet?.uat ?? 0))
      keySet = { jwks: cached.jwks as JSONWebKeySet, uat: cached.uat };
  };

  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    try {
      return await withTimeout(ms, work);
    } catch (error) {
      throw explain(error);
    }
  };

  const identify: Provider['identify'] = async (returned, { state, nonce, verifier }) => {
    const metadata = await metadataOf();
    const configuration = configurationOf(metadata);
    const tokens = await client
      .authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      .finally(() => rememberKeys(configuration));
    const claims = tokens.claims();
    if (!claims || tokens.id_token === undefined)
      throw new ProviderTrouble('invalid-answer', 'it sent no id_token');
    if (claims.sub === '' || claims.sub.length > 255)
      throw new ProviderTrouble('invalid-answer', 'its sub is not a text of 1 to 255 characters');
    const isAsked = settings.claims.email !== null && settings.emailVerified !== 'assumed';
    const isMissing = [...Object.values(settings.claims), isAsked ? 'email_verified' : null].some(
      (name) => name !== null && claimOf(claims, name) === undefined,
    );
    const more =
      isMissing && metadata.userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    const { acr, amr, sid, auth_time: authTime } = claims as Readonly<Record<string, unknown>>;
    return {
      subject: claims.sub,
      idToken: tokens.id_token,
      issuedAt: claims.iat * 1000,
      authTime: typeof authTime === 'number' && authTime > 0 ? Math.floor(authTime) * 1000 : null,
      acr: textIn(acr),
      amr: textsIn(amr),
      sid: textIn(sid),
      claims: joinClaims(claims, more),
    };
  };

  const keysFor = async (metadata: Metadata, isUnknown: boolean): Promise<KeySet> => {
    const seconds = Math.floor(Date.now() / 1000);
    if (keySet && (isUnknown ? seconds - keySet.uat < keySetsApart : seconds - keySet.uat < libraryApart * 5))
      return keySet;
    if (metadata.jwks_uri === undefined) throw new ProviderTrouble('invalid-answer', 'it names no jwks_uri');
    const jwks = (await (await limitedFetch(metadata.jwks_uri, {})).json()) as JSONWebKeySet;
    createLocalJWKSet(jwks); // throws for what is no key set
    return (keySet = { jwks, uat: seconds });
  };

  const verifyLogoutToken: Provider['verifyLogoutToken'] = async (token) => {
    const metadata = await metadataOf();
    const verify = async ({ jwks }: KeySet) =>
      jwtVerify(token, createLocalJWKSet(jwks), {
        issuer,
        audience: clientId,
        algorithms: algorithmsOf(metadata),
        clockTolerance,
      });
    try {
      const first = await keysFor(metadata, false);
      const { payload, protectedHeader } = await verify(first).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return verify(await keysFor(metadata, true));
      });
      if (typeof payload.iat === 'number' && payload.iat > Date.now() / 1000 + clockTolerance)
        return { problem: 'iat is in the future' };
      return checkLogoutToken(protectedHeader, payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return { problem: `it is not a valid token of the provider (${error.code})` };
    }
  };

  return {
    settings,
    signInUrl: (leaving) =>
      within(
        patience.leaving,
        metadataOf().then(async (metadata) => {
          const url = client.buildAuthorizationUrl(configurationOf(metadata), {
            redirect_uri: leaving.redirectUri,
            scope: settings.scopes.join(' '),
            state: leaving.state,
            nonce: leaving.nonce,
            code_challenge: await client.calculatePKCECodeChallenge(leaving.verifier),
            code_challenge_method: 'S256',
            ...leaving.passedOn,
          });
          return url.href;
        }),
      ),
    identify: (returned, sent) => within(patience.returning, identify(returned, sent)),
    signOutUrl: async ({ returnTo, state, idToken }) => {
      const metadata = await withTimeout(patience.leaving, metadataOf()).catch(() => null);
      if (!metadata || !isWeb(metadata.end_session_endpoint, isPlain)) return null;
      const url = client.buildEndSessionUrl(configurationOf(metadata), {
        post_logout_redirect_uri: returnTo,
        state,
        ...(idToken !== null && { id_token_hint: idToken }),
      });
      return url.href;
    },
    verifyLogoutToken: (token) => within(patience.returning, verifyLogoutToken(token)),
    status: async () => {
      if (!seen || now() >= seen.at + statusAge)
        await withTimeout(patience.status, read()).catch((error: unknown) => {
          if (!(error instanceof ProviderTrouble)) seen = { state: 'it did not answer in time', at: now() };
        });
      return seen?.state ?? 'not asked yet';
    },
  };
};

const isWeb = (url: string | undefined, isPlain: boolean): boolean =>
  url !== undefined &&
  URL.canParse(url) &&
  (url.startsWith('https:') || (isPlain && url.startsWith('http:')));

/** The first of RFC 6749's two ways that the provider offers; its default without a list is Basic. */
const authenticationOf = (metadata: Metadata, secret: string | null): client.ClientAuth => {
  if (secret === null) return client.None();
  const offered = metadata.token_endpoint_auth_methods_supported;
  return !offered || offered.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
};

const algorithmsOf = (metadata: Metadata): string[] => {
  const offered = metadata.id_token_signing_alg_values_supported;
  return Array.isArray(offered) ? algorithms.filter((alg) => offered.includes(alg)) : ['RS256'];
};

const longest = 200;
const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 255 ? value : null;
const textsIn = (value: unknown): readonly string[] | null =>
  Array.isArray(value)
    ? value.filter((text): text is string => typeof text === 'string' && text.length <= longest).slice(0, 20)
    : null;
