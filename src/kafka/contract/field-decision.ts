import type { Instant } from '../../domain/kernel/decision.ts';

/**
 * Never set at run time: it ties a decision to the exact type of the field, so that another type needs a new decision.
 */
type DecidedFor<V> = { readonly decidedFor?: (value: V) => V };

/** The field is published under this name, in the form that `write` returns. */
export type PublishedAs<V, N extends string, Out> = DecidedFor<V> & {
  readonly kind: 'published';
  readonly name: N;
  readonly write: (value: V) => Out;
};

/** The field is already part of the message's identity (`Identity`). */
export type InIdentity<V> = DecidedFor<V> & { readonly kind: 'identity' };

export type KeptBack<V> = DecidedFor<V> & { readonly kind: 'kept'; readonly reason: string };

export type FieldDecision<V> = PublishedAs<V, string, unknown> | InIdentity<V> | KeptBack<V>;

export const as = <const N extends string, V, Out>(
  name: N,
  write: (value: V) => Out,
): PublishedAs<V, N, Out> => ({ kind: 'published', name, write });

export const inIdentity = <V>(): InIdentity<V> => ({ kind: 'identity' });

/** `reason` completes the sentence "it is kept back, for it …". */
export const kept = <V>(reason: string): KeptBack<V> => ({ kind: 'kept', reason });

/** Unchanged from the event. The type is named explicitly, so that another one does not compile. */
export const plain =
  <V>() =>
  (value: V): V =>
    value;

/** RFC 3339 in UTC. */
export const utc = (instant: Instant): string => new Date(instant).toISOString();

/** The type without `readonly`, at every depth, because zod schemas cannot express it. */
type Plain<T> = T extends string | number | boolean | null ? T : { -readonly [K in keyof T]: Plain<T[K]> };

/** Whether two types are identical; mutual assignability is not enough. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A decision on any field, without its types. */
export type AnyFieldDecision =
  | { readonly kind: 'published'; readonly name: string; readonly write: (value: never) => unknown }
  | { readonly kind: 'identity' }
  | { readonly kind: 'kept'; readonly reason: string };

/** The type of the published fields. */
export type MadeOf<F> = {
  [
    K in keyof F as F[K] extends { readonly kind: 'published'; readonly name: infer N extends string }
      ? N
      : never
  ]: F[K] extends { readonly kind: 'published'; readonly write: (value: never) => infer Out } ? Out : never;
};

/** `unknown` if the published fields are exactly those of the contract; otherwise a type that no value has. */
export type AsPromised<Made, Promised> =
  Equal<Plain<Made>, Plain<Promised>> extends true
    ? unknown
    : { readonly theContractSays: Plain<Promised>; readonly theMappingMakes: Plain<Made> };
