import type { Instant } from '../kernel/decision.ts';
import type { Counter, CounterKind, Limit } from './sign-in-limits.ts';

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

export type Admission =
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
