import type { MakeCounters } from './counters.ts';
import { makeRateLimiter } from './rate-limiter.ts';

/** Enough for hundreds of processes that take a token an hour, and too few to fill the log. */
export const ownTokensPerMinute = 60;

/** Enough to acknowledge 10,000 SETs every second, and too few to keep a processor busy with reading them. */
export const longPollBodiesPerMinute = 60;

/** Requests per minute; 0 switches one off. */
export type Quotas = {
  readonly activation: number;
  readonly addon: number;
  readonly token: number;
  readonly authorize: number;
  readonly revoke: number;
  readonly introspect: number;
  readonly signInSteps: number;
  readonly signIn: number;
};

/** What is limited. `docs/reference/rate-limits.md` defines the keys. */
export const makeRateLimits = (
  { activation, addon, token, authorize, revoke, introspect, signInSteps, signIn }: Quotas,
  makeCounters: MakeCounters,
  now: () => number,
) => ({
  /** The lists, `/grant` and userinfo, by the subject of the access token. */
  resources: makeRateLimiter({ activation, addon }, makeCounters, now),
  signals: makeRateLimiter({ signals: addon }, makeCounters, now),
  /** The tokens that one add-on takes for itself: each is an event. */
  ownTokens: makeRateLimiter({ 'own-token': ownTokensPerMinute }, makeCounters, now),
  /** Polls of one add-on with a long body. */
  longPollBodies: makeRateLimiter({ 'long-poll-body': longPollBodiesPerMinute }, makeCounters, now),
  /** The token endpoint, by add-on and network. */
  token: makeRateLimiter({ token }, makeCounters, now),
  /** The other OAuth endpoints, by the same. */
  authorize: makeRateLimiter({ authorize }, makeCounters, now),
  revoke: makeRateLimiter({ revoke }, makeCounters, now),
  introspect: makeRateLimiter({ introspect }, makeCounters, now),
  /** Steps of a sign-in with a provider or a passkey that anybody can take, by network. */
  signInSteps: makeRateLimiter({ 'sign-in-steps': signInSteps }, makeCounters, now),
  /** Sign-ins with a provider, by identity. */
  identities: makeRateLimiter({ identity: signIn }, makeCounters, now),
});

export type RateLimits = ReturnType<typeof makeRateLimits>;
