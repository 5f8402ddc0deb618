import { type Account, countedAs, type KnownAccount } from '../../domain/people/account.ts';
import type { SessionOrigin } from '../../domain/sign-in/session.ts';
import { normaliseEmail } from '../../domain/people/email.ts';
import {
  type CountedIn,
  type CounterName,
  type CounterKind,
  type Limit,
  type NetworkKind,
  paceOf,
  rateLimit,
  signInLimits,
} from '../../domain/sign-in/sign-in-limits.ts';
import { knownDevice } from '../credentials/device-cookie.ts';
import type { SignInDependencies } from './dependencies.ts';
import { PasswordsBusy } from '../people/credentials/passwords.ts';
import { macFor, type TokenKeys } from '../credentials/token-keys.ts';

export type SignInOrigin = {
  /** The network of the browser, in one spelling: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string;
  /** Its full address and the wider networks around it, as `clientNetworks` names them. */
  readonly around?: Partial<Readonly<Record<NetworkKind, string>>>;
  /** Id of the submitted form; it ends after ten failures. */
  readonly interaction?: string;
  /** The browser's device cookie, as it was received; null without one. */
  readonly device: string | null;
  /** What the list of the user's sessions shows; nothing without it. */
  readonly shown?: SessionOrigin;
};

type Dependencies = Pick<SignInDependencies, 'keys' | 'now' | 'signInCounters' | 'signInsPerMinute'>;

export type Counting = {
  readonly counted: readonly CountedIn[];
  readonly isKnown: boolean;
  /** The attempt was counted as a failure but succeeded. */
  readonly succeeded: () => Promise<void>;
  /** The attempt was not verified at all. */
  readonly untried: () => Promise<void>;
};

export const uncounted: Counting = {
  counted: [],
  isKnown: false,
  succeeded: () => Promise.resolve(),
  untried: () => Promise.resolve(),
};

/** Does what an attempt was admitted for. If it fails, it does not count; too many passwords at once are the refusal `busy`. */
export const whileCounted = async <T>(
  counting: Counting,
  work: () => Promise<T>,
): Promise<T | { readonly ok: false; readonly refusal: 'busy' }> => {
  try {
    return await work();
  } catch (error) {
    await counting.untried().catch(() => undefined); // the original error is reported instead
    if (error instanceof PasswordsBusy) return { ok: false, refusal: 'busy' };
    throw error;
  }
};

/** Whose password is tried. */
export type Tried = {
  /** The address that was typed, or that of a user who is signed in: `countedAs`, never what an account only displays. */
  readonly whose: string;
  /** The account that has it, absent where there is none. */
  readonly ownerOf: () => Promise<Account>;
};

/** A password of this account is tried. */
export const triedOf = (account: KnownAccount): Tried => ({
  whose: countedAs(account),
  ownerOf: () => Promise.resolve(account),
});

/**
 * Counts an attempt before its password is verified, whether or not the account exists. A known browser is judged by itself alone.
 * @param tried null: only the origin is counted @returns whole seconds to wait, when not allowed now
 */
export const countAttempt = async (
  { keys, now, signInCounters, signInsPerMinute }: Dependencies,
  origin: SignInOrigin,
  tried: Tried | null,
): Promise<Counting | { readonly retryAfter: number } | { readonly interactionEnded: true }> => {
  const time = now();
  const whose = tried?.whose ?? null;
  const ownerOf = async () => {
    const account = await tried?.ownerOf();
    return account === undefined || account.status === 'absent' ? null : account.userId;
  };
  const device = whose === null ? null : await knownDevice(keys, origin.device, { whose, ownerOf }, time);
  const rate = rateLimit(signInsPerMinute);
  const { interaction } = origin;
  const names = [
    ...(whose !== null && device
      ? ofDevice(keys, whose, device, rate)
      : ofStranger(keys, whose, origin, signInsPerMinute)),
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

/** A success clears only counters of this browser, or of this account from this address: not failures caused for others. */
const isOwn = (kind: CounterKind): boolean => kind === 'device' || kind === 'account-and-address';

/** With its own rate limit: otherwise one account's owner could keep the passwords of all others waiting. */
const ofDevice = (
  keys: TokenKeys,
  whose: string,
  device: string,
  rate: Limit | null,
): readonly CounterName[] => [
  named(keys, 'device', signInLimits.device, [device], whose),
  ...(rate ? [named(keys, 'rate', rate, [device], null)] : []),
];

const ofStranger = (
  keys: TokenKeys,
  whose: string | null,
  { network, around = {} }: SignInOrigin,
  perMinute: number,
): readonly CounterName[] => {
  const rate = rateLimit(perMinute);
  return [
    ...(whose === null
      ? []
      : [
          named(keys, 'account-and-address', signInLimits['account-and-address'], [network], whose),
          named(keys, 'account', signInLimits.account, [], whose),
        ]),
    named(keys, 'address', signInLimits.address, [network], null),
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
  whose: string | null,
): CounterName => {
  const account = whose === null ? null : accountKey(keys, whose);
  return { kind, limit, account, key: keyOf(keys, kind, ...parts, account?.toString('hex') ?? '') };
};

/** The key of the account in the counters, from what attempts are counted under, whether the account exists or not. */
export const accountKey = (keys: TokenKeys, whose: string): Buffer =>
  keyOf(keys, 'of', normaliseEmail(whose));

const keyOf = (keys: TokenKeys, ...parts: readonly string[]): Buffer => {
  const key = macFor(keys, keys.current, 'sign-in-counter', parts.join('\n'));
  if (!key) throw new Error(`there is no token key ${keys.current}`);
  return key;
};
