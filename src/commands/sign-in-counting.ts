import { normaliseEmail } from '../domain/email.ts';
import type { CountedIn, CounterName } from '../domain/sign-in-counters.ts';
import {
  type CounterKind,
  type Limit,
  type NetworkKind,
  paceOf,
  rateLimit,
  signInLimits,
} from '../domain/sign-in-limits.ts';
import { knownDevice } from './device-cookie.ts';
import type { CommandDependencies } from './dependencies.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

export type SignInOrigin = {
  /** The network of the browser, in one spelling: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string;
  /** Its address itself and the wider networks around it, as `clientNetworks` names them. */
  readonly around?: Partial<Readonly<Record<NetworkKind, string>>>;
  /** Of the form that was sent; it ends after ten failures. */
  readonly interaction?: string;
  /** The browser's device cookie, as it was sent; null without one. */
  readonly device: string | null;
};

type Dependencies = Pick<CommandDependencies, 'keys' | 'now' | 'signInCounters' | 'signInsPerMinute'>;

/** An attempt that was let in, with what comes of its counters. */
export type Counting = {
  readonly counted: readonly CountedIn[];
  /** It comes from a browser that the account knows. */
  readonly isKnown: boolean;
  /** What was counted as a failure was none. */
  readonly succeeded: () => Promise<void>;
  /** It was not tried at all. */
  readonly untried: () => Promise<void>;
};

export const uncounted: Counting = {
  counted: [],
  isKnown: false,
  succeeded: () => Promise.resolve(),
  untried: () => Promise.resolve(),
};

/**
 * Counts an attempt before its password is looked at. A browser that the account knows is judged by its own failures
 * alone, so that nobody elsewhere can keep the owner out. Whether there is such an account makes no difference here.
 * @returns whole seconds to wait, when it may not be tried now
 */
export const countAttempt = async (
  { keys, now, signInCounters, signInsPerMinute }: Dependencies,
  email: string,
  origin: SignInOrigin,
): Promise<Counting | { readonly retryAfter: number } | { readonly interactionEnded: true }> => {
  const time = now();
  const device = knownDevice(keys, origin.device, email, time);
  const rate = rateLimit(signInsPerMinute);
  const { interaction } = origin;
  const names = [
    ...(device ? ofDevice(keys, email, device, rate) : ofStranger(keys, email, origin, signInsPerMinute)),
    ...(interaction === undefined
      ? []
      : [named(keys, 'interaction', signInLimits.interaction, [interaction], null)]),
  ];
  const admission = await signInCounters.count(names, time);
  if (!admission.admitted && admission.ended) return { interactionEnded: true };
  if (!admission.admitted) return { retryAfter: Math.ceil((admission.until - time) / 1000) };
  const { counted } = admission;
  const failures = counted.filter(({ kind }) => kind !== 'rate');
  return {
    counted,
    isKnown: device !== null,
    succeeded: () => signInCounters.takeBack(failures.map((one) => ({ ...one, forget: isOwn(one.kind) }))),
    untried: () => signInCounters.takeBack(counted.map((one) => ({ ...one, forget: false }))),
  };
};

/**
 * A success forgets the failures of whoever has succeeded, no more: with an account of one's own nobody wipes out what an
 * address has done to others.
 */
const isOwn = (kind: CounterKind): boolean => kind === 'device' || kind === 'account-and-address';

/** Its pace is its own, too: whoever has an account could otherwise keep all others' passwords waiting to be hashed. */
const ofDevice = (
  keys: TokenKeys,
  email: string,
  device: string,
  rate: Limit | null,
): readonly CounterName[] => [
  named(keys, 'device', signInLimits.device, [device], email),
  ...(rate ? [named(keys, 'rate', rate, [device], null)] : []),
];

const ofStranger = (
  keys: TokenKeys,
  email: string,
  { network, around = {} }: SignInOrigin,
  perMinute: number,
): readonly CounterName[] => {
  const rate = rateLimit(perMinute);
  return [
    named(keys, 'account-and-address', signInLimits['account-and-address'], [network], email),
    named(keys, 'address', signInLimits.address, [network], null),
    named(keys, 'account', signInLimits.account, [], email),
    ...(rate ? [named(keys, 'rate', rate, [network], null)] : []),
    ...(Object.entries(around) as [NetworkKind, string][]).flatMap(([kind, name]) => {
      const pace = rateLimit(perMinute * paceOf[kind]);
      return [
        named(keys, kind, signInLimits[kind], [name], null),
        ...(pace ? [named(keys, 'rate', pace, [kind, name], null)] : []),
      ];
    }),
  ];
};

const named = (
  keys: TokenKeys,
  kind: CounterKind,
  limit: Limit,
  parts: readonly string[],
  email: string | null,
): CounterName => {
  const account = email === null ? null : accountKey(keys, email);
  return { kind, limit, account, key: keyOf(keys, kind, ...parts, account?.toString('hex') ?? '') };
};

/** What stands for the account of an address among the counters, whether there is such an account or not. */
export const accountKey = (keys: TokenKeys, email: string): Buffer =>
  keyOf(keys, 'of', normaliseEmail(email));

const keyOf = (keys: TokenKeys, ...parts: readonly string[]): Buffer => {
  const key = macFor(keys, keys.current, 'sign-in-counter', parts.join('\n'));
  if (!key) throw new Error(`there is no token key ${keys.current}`);
  return key;
};
