import type { Instant } from './decision.ts';

/** What the failed attempts to sign in are counted by. `docs/sign-in.md` says why each. */
export type CounterKind =
  /** A browser that has signed in to the account before; nobody else's failures are held against it. */
  | 'device'
  /** One account from one address. */
  | 'account-and-address'
  /** One address, whatever the account. */
  | 'address'
  /** One IPv6 address, and the networks around an address: whoever has many addresses mostly has neighbouring ones. */
  | NetworkKind
  /** One form of the sign-in page: it ends after so many failures. */
  | 'interaction'
  /** One account, from all browsers that it does not know. */
  | 'account'
  /** Attempts of one address, or of such a browser, the successful ones too (`RATE_LIMIT_SIGN_IN`). */
  | 'rate';

export type NetworkKind = 'ipv6-address' | 'ipv6-56' | 'ipv6-48' | 'ipv4-24';

/** How many times the pace of one address a wider network has (`RATE_LIMIT_SIGN_IN`). */
export const paceOf: Readonly<Record<NetworkKind, number>> = {
  'ipv6-address': 1,
  'ipv6-56': 4,
  'ipv6-48': 16,
  'ipv4-24': 8,
};

/** When attempts have to wait. All times in milliseconds. */
export type Limit = {
  /** So many failures are free; the last of them is followed by the first wait. */
  readonly tries: number;
  readonly firstWait: number;
  /** Each further failure doubles the wait, up to this. */
  readonly longestWait: number;
  /** One failure is forgotten after each such time: in the long run, guesses come no faster. */
  readonly forgetOneEvery: number;
};

/** What is remembered of one counter. */
export type Counter = {
  readonly failures: number;
  /** From when on the next failure to be forgotten ages. */
  readonly agesFrom: Instant;
  readonly blockedUntil: Instant;
};

export const unusedCounter: Counter = { failures: 0, agesFrom: 0, blockedUntil: 0 };

const second = 1_000;
const minute = 60 * second;

/** An address may be a whole office, and an account may be under attack from everywhere: both bear more. */
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
  // Longer than a form lives: after ten failures it has ended.
  interaction: { tries: 10, firstWait: 60 * minute, longestWait: 60 * minute, forgetOneEvery: 60 * minute },
  account: { tries: 100, firstWait: second, longestWait: 5 * minute, forgetOneEvery: 5 * minute },
};

/** So many at once, then as many a minute; null when it is switched off (0). */
export const rateLimit = (perMinute: number): Limit | null => {
  if (perMinute === 0) return null;
  const interval = Math.ceil(minute / perMinute);
  return { tries: perMinute, firstWait: interval, longestWait: interval, forgetOneEvery: interval };
};

/** How long the next attempt has to wait after so many failures. */
export const waitAfter = ({ tries, firstWait, longestWait }: Limit, failures: number): number =>
  failures < tries ? 0 : Math.min(longestWait, firstWait * 2 ** (failures - tries));

/** The counter without the failures that are forgotten by now. */
const aged = ({ forgetOneEvery }: Limit, counter: Counter, now: Instant): Counter => {
  const forgotten = Math.max(0, Math.floor((now - counter.agesFrom) / forgetOneEvery));
  const failures = counter.failures - forgotten;
  return failures <= 0
    ? { ...counter, failures: 0, agesFrom: now }
    : { ...counter, failures, agesFrom: counter.agesFrom + forgotten * forgetOneEvery };
};

/** The counter after one more failure. */
export const withFailure = (limit: Limit, counter: Counter, now: Instant): Counter => {
  const { failures, agesFrom } = aged(limit, counter, now);
  const wait = waitAfter(limit, failures + 1);
  // A free one blocks nobody: not those either who came a moment earlier and were held up on the way here.
  const blockedUntil = wait === 0 ? counter.blockedUntil : now + wait;
  return { failures: failures + 1, agesFrom, blockedUntil };
};

/** When a counter is as good as unused: it may be deleted from then on. */
export const forgottenAt = ({ forgetOneEvery }: Limit, counter: Counter): Instant =>
  Math.max(counter.blockedUntil, counter.agesFrom + counter.failures * forgetOneEvery);

export type Limited = { readonly kind: CounterKind; readonly limit: Limit; readonly counter: Counter };

export type Attempt<L extends Limited> =
  /** May be verified; it counts as failed until it has succeeded, so that parallel attempts cannot slip past. */
  | { readonly admitted: true; readonly counted: readonly L[] }
  /** Refused unseen, and counted nowhere: a block is never prolonged by what it refuses. */
  | { readonly admitted: false; readonly until: Instant; readonly ended: boolean };

/** Judges an attempt by all counters that it falls under: the one that blocks for the longest decides. */
export const attemptSignIn = <L extends Limited>(limited: readonly L[], now: Instant): Attempt<L> => {
  const until = Math.max(0, ...limited.map(({ counter }) => counter.blockedUntil));
  if (now < until) {
    const ended = limited.some(({ kind, counter }) => kind === 'interaction' && now < counter.blockedUntil);
    return { admitted: false, until, ended };
  }
  const counted = limited.map((one) => ({ ...one, counter: withFailure(one.limit, one.counter, now) }));
  return { admitted: true, counted };
};
