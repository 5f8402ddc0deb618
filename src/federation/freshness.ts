import type { Instant } from '../domain/kernel/decision.ts';

/** How recent a sign-in has to be. */
export type Demand = {
  /** The user has to sign in again (`prompt=login`, `max_age=0`). */
  readonly again: boolean;
  /** In milliseconds; null for any. */
  readonly maxAge: number | null;
};

type Facts = {
  /** When the browser was sent to the provider, and when it came back, by our clock. */
  readonly sentAt: Instant;
  readonly now: Instant;
  /** Of the id_token, by the provider's clock. */
  readonly issuedAt: Instant;
  readonly authTime: Instant | null;
};

/** For whole seconds and what passes on the way. */
const slack = 5_000;
const clocksApart = 60_000;

/**
 * The claim `auth_time`, in seconds, as a time; null if it is none, or is after the time at which its id_token was issued:
 * a sign-in in the future would always be recent enough.
 */
export const authTimeOf = (claim: unknown, issuedAt: Instant): Instant | null => {
  if (typeof claim !== 'number' || !(claim > 0)) return null;
  const at = Math.floor(claim) * 1000;
  return at <= issuedAt + clocksApart ? at : null;
};

/** `auth_time` and `iat` are of one clock: their difference is right. `ask-again`: the provider does not say when the user signed in. */
export const judgeFreshness = (
  { again, maxAge }: Demand,
  { sentAt, now, issuedAt, authTime }: Facts,
): 'fresh' | 'stale' | 'ask-again' => {
  if (!again && maxAge === null) return 'fresh';
  const away = now - sentAt + slack;
  if (authTime === null) {
    if (!again) return 'ask-again';
    return issuedAt >= sentAt - clocksApart ? 'fresh' : 'stale';
  }
  const oldest = again ? away : away + (maxAge ?? 0);
  return issuedAt - authTime <= oldest ? 'fresh' : 'stale';
};
