import type { Instant } from './decision.ts';
import type { Counter, CounterKind, Limit } from './sign-in-limits.ts';

/** A counter by its name. */
export type CounterName = {
  readonly kind: CounterKind;
  readonly limit: Limit;
  /** A MAC: no table holds an e-mail address or the address of a browser. */
  readonly key: Uint8Array;
  /** The account that it belongs to, as a MAC; null for what is counted across accounts. */
  readonly account: Uint8Array | null;
};

/** A counter that an attempt was counted in. */
export type CountedIn = CounterName & { readonly counter: Counter };

export type Admission =
  | { readonly admitted: true; readonly counted: readonly CountedIn[] }
  /** `ended`: it was the last of its form. */
  | { readonly admitted: false; readonly until: Instant; readonly ended: boolean };

/**
 * The counters of failed attempts to sign in, shared by all instances. They are operational: no events make them, and
 * a rebuild of the read models leaves them alone.
 */
export type SignInCounters = {
  /** Counts an attempt as failed in all of these at once, before it is verified; in none when one of them blocks. */
  count(names: readonly CounterName[], now: Instant): Promise<Admission>;
  /** Takes an attempt back that did not fail; `forget` forgets all failures of that counter instead. */
  takeBack(counted: readonly (CountedIn & { readonly forget: boolean })[]): Promise<void>;
  /** Forgets what was counted for an account. @returns how many counters there were */
  forgetAccount(account: Uint8Array): Promise<number>;
};
