import type { Proxies } from '../common/outgoing/proxies.ts';
import { randomBytes } from 'node:crypto';
import type { SignInWithProvider } from '../commands/sign-in/sign-in-with-provider.ts';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { EndpointGuard } from '../signals/endpoint/endpoint-guard.ts';
import { type Demand, judgeFreshness } from './freshness.ts';
import type { LogoutToken } from './logout-token.ts';
import { makeProvider, type Provider } from './provider.ts';
import type { ProviderSignIns } from './provider-sign-ins.ts';
import { ProviderTrouble } from './provider-trouble.ts';
import { readClaims } from './read-claims.ts';

export type OfferedProvider = Pick<SignInProvider, 'id' | 'name' | 'logo'>;

/** Why a browser that comes back from a provider is not signed in. */
export type ReturnRefusal = 'used' | 'other-provider';

/** What the pages wanted to remember while the user was at the provider, and how recent the sign-in has to be. */
export type Trip<T> = {
  readonly waiting: T;
  readonly demand: Demand;
  readonly passedOn: Readonly<Record<string, string>>;
};

type Kept = Trip<unknown> & {
  readonly provider: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly sentAt: Instant;
};

export type Returned<T> =
  | { readonly kind: 'refused'; readonly refusal: ReturnRefusal }
  | { readonly kind: 'trouble'; readonly waiting: T; readonly trouble: ProviderTrouble }
  /** The provider has to be asked once more, for a new sign-in. */
  | { readonly kind: 'again'; readonly trip: Trip<T> }
  | { readonly kind: 'identified'; readonly waiting: T; readonly identity: SignInWithProvider };

/** Sign-in with OpenID providers, as the pages see it. Users' data only pass through. */
export type Federation = {
  readonly local: boolean;
  readonly providers: readonly OfferedProvider[];
  /** Sends the browser away. @throws ProviderTrouble, which `troubleOf` recognizes */
  leave(
    providerId: string,
    trip: Trip<unknown>,
    from: { readonly redirectUri: string; readonly network: string },
  ): Promise<{ readonly state: string; readonly url: string }>;
  /** The browser came back to `address`. Each `state` is accepted once. */
  back<T>(providerId: string, state: string, address: URL): Promise<Returned<T>>;
  /** Null where the provider has no sign-out page, or is not ours any more. */
  signOutUrl(
    providerId: string,
    leaving: { readonly sessionId: string; readonly returnTo: string; readonly state: string },
  ): Promise<string | null>;
  /** @throws ProviderTrouble when the provider's keys cannot be read */
  readLogoutToken(
    providerId: string,
    token: string,
  ): Promise<{ readonly token: LogoutToken } | { readonly problem: string }>;
  troubleOf(error: unknown): ProviderTrouble | null;
  /** By provider: `ok`, or what is wrong; `detail` is for the log. */
  status(): Promise<
    readonly (OfferedProvider & { readonly state: string; readonly detail: string | null })[]
  >;
};

type Dependencies = {
  readonly local: boolean;
  readonly providers: readonly SignInProvider[];
  readonly signIns: ProviderSignIns;
  readonly now: () => Instant;
  /** Judges hosts that only a provider's metadata names. */
  readonly guard: EndpointGuard;
  readonly proxies?: Proxies;
};

/** For how long the user may stay at the provider, in milliseconds. */
const longestTrip = 10 * 60_000;

export const makeFederation = ({ local, providers, signIns, ...needs }: Dependencies): Federation => {
  const { now } = needs;
  const byId = new Map(providers.map((settings) => [settings.id, makeProvider(settings, needs)]));
  const providerOf = (id: string): Provider => {
    const provider = byId.get(id);
    if (!provider) throw new Error(`there is no sign-in provider ${id}`);
    return provider;
  };

  const identify = async (provider: Provider, kept: Kept, state: string, address: URL) => {
    const { settings } = provider;
    const identity = await provider.identify(address, { ...kept, state });
    const { demand, sentAt } = kept;
    const freshness = judgeFreshness(demand, { ...identity, sentAt, now: now() });
    if (freshness === 'stale')
      throw new ProviderTrouble('not-fresh', 'it did not ask you to sign in again, as requested');
    if (freshness === 'ask-again') return null;
    const { subject, idToken, sid, acr, amr } = identity;
    return {
      provider: settings.id,
      issuer: settings.issuer,
      subject,
      idToken,
      sid,
      acr,
      amr,
      authTime: identity.authTime ?? (demand.again ? identity.issuedAt : null),
      ...readClaims(identity.claims, settings),
    };
  };

  return {
    local,
    providers: providers.map(({ id, name, logo }) => ({ id, name, ...(logo && { logo }) })),
    leave: async (providerId, trip, { redirectUri, network }) => {
      const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
      const passedOn = { ...trip.passedOn, ...(trip.demand.again && { prompt: 'login' }) };
      const url = await providerOf(providerId).signInUrl({ redirectUri, state, nonce, verifier, passedOn });
      const kept: Kept = { ...trip, provider: providerId, nonce, verifier, sentAt: now() };
      await signIns.keep(state, kept, { expiresAt: now() + longestTrip, network });
      return { state, url };
    },
    back: async <T>(providerId: string, state: string, address: URL): Promise<Returned<T>> => {
      const kept = (await signIns.take(state)) as Kept | null;
      if (!kept) return { kind: 'refused', refusal: 'used' };
      if (kept.provider !== providerId) return { kind: 'refused', refusal: 'other-provider' };
      const waiting = kept.waiting as T;
      try {
        const identity = await identify(providerOf(providerId), kept, state, address);
        if (identity) return { kind: 'identified', waiting, identity };
        const { passedOn } = kept;
        return { kind: 'again', trip: { waiting, passedOn, demand: { ...kept.demand, again: true } } };
      } catch (trouble) {
        if (!(trouble instanceof ProviderTrouble)) throw trouble;
        return { kind: 'trouble', waiting, trouble };
      }
    },
    signOutUrl: async (providerId, { sessionId, returnTo, state }) => {
      const provider = byId.get(providerId);
      if (!provider) return null;
      const idToken = await signIns.idTokenOf(sessionId);
      return provider.signOutUrl({ returnTo, state, idToken });
    },
    readLogoutToken: (providerId, token) => providerOf(providerId).verifyLogoutToken(token),
    troubleOf: (error) => (error instanceof ProviderTrouble ? error : null),
    status: () =>
      Promise.all(
        [...byId.values()].map(async (provider) => {
          const trouble = await provider.status();
          const { id, name } = provider.settings;
          return { id, name, state: trouble?.found ?? 'ok', detail: trouble?.detail ?? null };
        }),
      ),
  };
};

/** 256 bits; as a PKCE verifier it has the 43 characters that RFC 7636 asks for. */
const randomText = (): string => randomBytes(32).toString('base64url');
