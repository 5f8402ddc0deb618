import { errors, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { atMostEvery } from '../common/at-most-every.ts';
import type { Proxies } from '../common/outgoing/proxies.ts';
import { withTimeout } from '../common/with-timeout.ts';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import type { SigningAlg } from '../domain/people/identity.ts';
import type { EndpointGuard } from '../signals/endpoint/endpoint-guard.ts';
import { explain } from './explain.ts';
import { authTimeOf } from './freshness.ts';
import { makeLimitedFetch } from './limited-fetch.ts';
import { checkLogoutToken, type LogoutToken } from './logout-token.ts';
import { callsApart, makeProviderKeys, signingAlgOf } from './provider-keys.ts';
import { ProviderTrouble } from './provider-trouble.ts';
import { claimOf, joinClaims } from './read-claims.ts';

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
  /** What is wrong, as of a moment ago; null when nothing is. */
  status(): Promise<ProviderTrouble | null>;
};

type Metadata = client.ServerMetadata;

/** What the provider says about itself, and the algorithm that its tokens are accepted with. */
type Known = { readonly metadata: Metadata; readonly signingAlg: SigningAlg };

/** In milliseconds: what a sign-in may wait for the provider, before and after the user was there. */
const patience = { leaving: 3_500, returning: 6_000, status: 2_500 };

/** Metadata is read again after this; until then, a provider that is away delays nobody. In milliseconds. */
const metadataAge = 600_000;
const statusAge = 15_000;

/** In seconds. */
const clockTolerance = 60;
/** A key set of this age, in seconds, is read again by openid-client when it does not know a key. */
const agedForLibrary = 61;

type Dependencies = {
  readonly now: () => number;
  readonly guard: EndpointGuard;
  readonly proxies?: Proxies;
};

/** One provider: openid-client does the protocol, here are its limits, and what it keeps between calls. */
export const makeProvider = (settings: SignInProvider, { now, guard, proxies }: Dependencies): Provider => {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  const fetch = makeLimitedFetch(settings, guard, proxies);
  let known: (Known & { readonly at: number }) | null = null;
  let seen: { readonly trouble: ProviderTrouble | null; readonly at: number } | null = null;

  const readMetadata = async (): Promise<Known> => {
    const discovered = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: fetch,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    });
    const metadata = discovered.serverMetadata();
    if (metadata.issuer !== issuer)
      throw new ProviderTrouble('invalid-answer', 'its discovery document names another issuer');
    known = { metadata: { ...metadata }, signingAlg: signingAlgOf(settings, metadata), at: now() };
    return known;
  };

  /** One call at a time, whoever asks; also a provider that is away is not called at each request. */
  const read = atMostEvery(
    callsApart,
    () =>
      readMetadata().then(
        (found) => {
          seen = { trouble: null, at: now() };
          return found;
        },
        (error: unknown) => {
          const trouble = explain(error);
          seen = { trouble, at: now() };
          throw trouble;
        },
      ),
    now,
  );

  const knownNow = (): Promise<Known> =>
    known && now() < known.at + metadataAge ? Promise.resolve(known) : read();

  const keys = makeProviderKeys({ fetch, address: async () => (await knownNow()).metadata.jwks_uri, now });

  /** A configuration of its own for each call: the library keeps a key set for each, and `keys` is the one for all. */
  const configurationOf = ({ metadata, signingAlg }: Known): client.Configuration => {
    const configuration = new client.Configuration(
      // A signed UserInfo response is accepted, with the same algorithm, whether or not the metadata mentions it.
      { ...metadata, userinfo_signing_alg_values_supported: [signingAlg] },
      clientId,
      {
        [client.clockTolerance]: clockTolerance,
        id_token_signed_response_alg: signingAlg,
        ...(clientSecret !== null && { client_secret: clientSecret }),
      },
      authenticationOf(metadata, clientSecret),
    );
    configuration[client.customFetch] = async (url, options) =>
      url === metadata.jwks_uri ? Response.json(await keys.read()) : fetch(url, options as object);
    if (isPlain) client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    const jwks = keys.known();
    if (jwks)
      client.setJwksCache(configuration, {
        jwks: structuredClone(jwks) as never,
        uat: Math.floor(Date.now() / 1000) - agedForLibrary,
      });
    return configuration;
  };

  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    try {
      return await withTimeout(ms, work);
    } catch (error) {
      throw explain(error);
    }
  };

  const identify: Provider['identify'] = async (returned, { state, nonce, verifier }) => {
    const present = await knownNow();
    const configuration = configurationOf(present);
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
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
      isMissing && present.metadata.userinfo_endpoint !== undefined
        ? await client
            .fetchUserInfo(configuration, tokens.access_token, claims.sub)
            .catch((error: unknown) => {
              throw refusedByUserInfo(error) ?? error;
            })
        : {};
    const { acr, amr, sid, auth_time: authTime } = claims as Readonly<Record<string, unknown>>;
    return {
      subject: claims.sub,
      idToken: tokens.id_token,
      issuedAt: claims.iat * 1000,
      authTime: authTimeOf(authTime, claims.iat * 1000),
      acr: textIn(acr),
      amr: textsIn(amr),
      sid: textIn(sid),
      claims: joinClaims(claims, more),
    };
  };

  const verifyLogoutToken: Provider['verifyLogoutToken'] = async (token) => {
    const { signingAlg } = await knownNow();
    const options = { issuer, audience: clientId, algorithms: [signingAlg], clockTolerance };
    try {
      const { payload, protectedHeader } = await keys.verifiedWith((found) =>
        jwtVerify(token, found, options),
      );
      return checkLogoutToken(protectedHeader, payload, { now: Date.now() / 1000, clockTolerance });
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
        knownNow().then(async (present) => {
          const url = client.buildAuthorizationUrl(configurationOf(present), {
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
      const present = await withTimeout(patience.leaving, knownNow()).catch(() => null);
      if (!present || !isWeb(present.metadata.end_session_endpoint, isPlain)) return null;
      const url = client.buildEndSessionUrl(configurationOf(present), {
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
          if (!(error instanceof ProviderTrouble)) seen = { trouble: explain(error), at: now() };
        });
      return seen?.trouble ?? null;
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

/** Its access token is of no use there: openid-client would say that our client_id or client_secret is. */
const refusedByUserInfo = (error: unknown): ProviderTrouble | null => {
  const { status } = error as { readonly status?: unknown };
  return status === 401 || status === 403
    ? new ProviderTrouble(
        'invalid-answer',
        `its UserInfo endpoint refused our access token (${status})`,
        error,
      )
    : null;
};

const longest = 200;
const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 255 ? value : null;
const textsIn = (value: unknown): readonly string[] | null =>
  Array.isArray(value)
    ? value.filter((text): text is string => typeof text === 'string' && text.length <= longest).slice(0, 20)
    : null;
