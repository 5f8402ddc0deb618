import type { Instant } from '../kernel/decision.ts';

/** The kinds of counters for failed attempts to sign in. `docs/explanation/sign-in.md` gives the reason for each. */
export type CounterKind =
  /** A browser that has signed in to the account before; failures of others do not count against it. */
  | 'device'
  /** One account from one address. */
  | 'account-and-address'
  /** One address, for all accounts. */
  | 'address'
  /** One IPv6 address, and the networks around an address: an attacker with many addresses mostly has neighbouring ones. */
  | NetworkKind
  /** One form of the sign-in page: it ends after a number of failures. */
  | 'interaction'
  /** One account, from all browsers that are unknown to it. */
  | 'account'
  /** All attempts, successful ones too, of one address or of one known browser (`RATE_LIMIT_SIGN_IN`). */
  | 'rate';

export type NetworkKind = 'ipv6-address' | 'ipv6-56' | 'ipv6-48' | 'ipv4-24';

/** The rate of a wider network as a multiple of one address's (`RATE_LIMIT_SIGN_IN`). */
export const paceOf: Readonly<Record<NetworkKind, number>> = {
  'ipv6-address': 1,
  'ipv6-56': 4,
  'ipv6-48': 16,
  'ipv4-24': 8,
};

/** When attempts have to wait. All times in milliseconds. */
export type Limit = {
  /** This many failures are free; the last of them starts the first wait. */
  readonly tries: number;
  readonly firstWait: number;
  /** Each further failure doubles the wait, up to this. */
  readonly longestWait: number;
  /** One failure expires after each such time: in the long run, this limits the rate of guesses. */
  readonly forgetOneEvery: number;
};

export type Counter = {
  readonly failures: number;
  /** When the time of the next failure to expire began. */
  readonly agesFrom: Instant;
  readonly blockedUntil: Instant;
};

export const unusedCounter: Counter = { failures: 0, agesFrom: 0, blockedUntil: 0 };

const second = 1_000;
const minute = 60 * second;

/** An address may be a whole office, and an account may be under attack from everywhere: both get higher limits. */
export const signInLimits: Readonly<Record<Exclude<CounterKind, 'rate'>, Limit>> = {
  device: { tries: 5, firstWait: second, longestWait: 15 * minute, forgetOneEvery: 15 * minute },
  'account-and-address': {
    tries: 5,
    firstWait: second,
    longestWait: 15 * minute,
    forgetOneEvery: 15 * minute,
  },
  address: { tries: 50, firstWait: second, longestWait: 15 * minute, forgetOneEvery: minute },
  'ipv6-address': { tries: 50, firstWait: second, longestWait: 15 * minute, forgetOneEvery: minute },
  'ipv6-56': { tries: 100, firstWait: second, longestWait: 5 * minute, forgetOneEvery: 30 * second },
  'ipv6-48': { tries: 400, firstWait: second, longestWait: 5 * minute, forgetOneEvery: 10 * second },
  'ipv4-24': { tries: 400, firstWait: second, longestWait: 5 * minute, forgetOneEvery: 10 * second },
  // Longer than a form lives: ten failures end it.
  interaction: { tries: 10, firstWait: 60 * minute, longestWait: 60 * minute, forgetOneEvery: 60 * minute },
  account: { tries: 100, firstWait: second, longestWait: 5 * minute, forgetOneEvery: 5 * minute },
};

/** This many at once, then as many per minute; null when it is switched off (0). */
export const rateLimit = (perMinute: number): Limit | null => {
  if (perMinute === 0) return null;
  const interval = Math.ceil(minute / perMinute);
  return { tries: perMinute, firstWait: interval, longestWait: interval, forgetOneEvery: interval };
};

/** How long the next attempt has to wait after this many failures. */
export const waitAfter = ({ tries, firstWait, longestWait }: Limit, failures: number): number =>
  failures < tries ? 0 : Math.min(longestWait, firstWait * 2 ** (failures - tries));

/** The counter without the failures that have expired by now. */
const aged = ({ forgetOneEvery }: Limit, counter: Counter, now: Instant): Counter => {
  const forgotten = Math.max(0, Math.floor((now - counter.agesFrom) / forgetOneEvery));
  const failures = counter.failures - forgotten;
  return failures <= 0
    ? { ...counter, failures: 0, agesFrom: now }
    : { ...counter, failures, agesFrom: counter.agesFrom + forgotten * forgetOneEvery };
};

export const withFailure = (limit: Limit, counter: Counter, now: Instant): Counter => {
  const { failures, agesFrom } = aged(limit, counter, now);
  const wait = waitAfter(limit, failures + 1);
  // A free failure blocks nobody: also not attempts that arrived a moment earlier and were delayed.
  const blockedUntil = wait === 0 ? counter.blockedUntil : now + wait;
  return { failures: failures + 1, agesFrom, blockedUntil };
};

/** When a counter has no more effect: from then on it may be deleted. */
export const forgottenAt = ({ forgetOneEvery }: Limit, counter: Counter): Instant =>
  Math.max(counter.blockedUntil, counter.agesFrom + counter.failures * forgetOneEvery);

export type Limited = { readonly kind: CounterKind; readonly limit: Limit; readonly counter: Counter };

export type Attempt<L extends Limited> =
  /** May be verified. It counts as failed until it succeeds, so that parallel attempts cannot bypass the limit. */
  | { readonly admitted: true; readonly counted: readonly L[] }
  /** Refused without verification, and not counted: a block is never prolonged by what it refuses. */
  | { readonly admitted: false; readonly until: Instant; readonly ended: boolean };

/** Judges an attempt by all its counters: the one that blocks for the longest decides. */
export const attemptSignIn = <L extends Limited>(limited: readonly L[], now: Instant): Attempt<L> => {
  const until = Math.max(0, ...limited.map(({ counter }) => counter.blockedUntil));
  if (now < until) {
    const ended = limited.some(({ kind, counter }) => kind === 'interaction' && now < counter.blockedUntil);
    return { admitted: false, until, ended };
  }
  const counted = limited.map((one) => ({ ...one, counter: withFailure(one.limit, one.counter, now) }));
  return { admitted: true, counted };
};

/** The name of a counter. */
export type CounterName = {
  readonly kind: CounterKind;
  readonly limit: Limit;
  /** A MAC: no table holds an e-mail address or the address of a browser. */
  readonly key: Uint8Array;
  /** MAC of the account that it belongs to; null for counters across accounts. */
  readonly account: Uint8Array | null;
};

/** A counter in which an attempt was counted. */
export type CountedIn = CounterName & { readonly counter: Counter };

type Admission =
  | { readonly admitted: true; readonly counted: readonly CountedIn[] }
  /** `ended`: it was the last attempt of its form. */
  | { readonly admitted: false; readonly until: Instant; readonly ended: boolean };

/** Failed attempts to sign in, counted for all instances: operational data, not from events and no matter of rebuilds. */
export type SignInCounters = {
  /** Counts an attempt as failed in all of these at once, before it is verified; in none of them when one blocks. */
  count(names: readonly CounterName[], now: Instant): Promise<Admission>;
  /** Takes back an attempt that did not fail; `forget` clears all failures of that counter instead. */
  takeBack(counted: readonly (CountedIn & { readonly forget: boolean })[]): Promise<void>;
  /** Clears the counters of an account. @returns how many there were */
  forgetAccount(account: Uint8Array): Promise<number>;
};
