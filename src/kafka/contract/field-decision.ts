import type { Instant } from '../../domain/decision.ts';

/** Never set: it ties a decision to the exact type of the field, so that a field of another type needs a new decision. */
type DecidedFor<V> = { readonly decidedFor?: (value: V) => V };

/** The field goes out, under this name, as `write` says. */
export type PublishedAs<V, N extends string, Out> = DecidedFor<V> & {
  readonly kind: 'published';
  readonly name: N;
  readonly write: (value: V) => Out;
};

/** What the message says of itself anyhow (`Identity`) holds this field. */
export type InIdentity<V> = DecidedFor<V> & { readonly kind: 'identity' };

export type KeptBack<V> = DecidedFor<V> & { readonly kind: 'kept'; readonly reason: string };

export type FieldDecision<V> = PublishedAs<V, string, unknown> | InIdentity<V> | KeptBack<V>;

export const as = <const N extends string, V, Out>(
  name: N,
  write: (value: V) => Out,
): PublishedAs<V, N, Out> => ({ kind: 'published', name, write });

export const inIdentity = <V>(): InIdentity<V> => ({ kind: 'identity' });

/** `reason` ends the sentence "it is kept back, for it …". */
export const kept = <V>(reason: string): KeptBack<V> => ({ kind: 'kept', reason });

/** As it is in the event. The type is said, so that another one does not slip through. */
export const plain =
  <V>() =>
  (value: V): V =>
    value;

/** RFC 3339 in UTC. */
export const utc = (instant: Instant): string => new Date(instant).toISOString();

/** Without `readonly`, at every depth: what a zod schema can say. */
type Plain<T> = T extends string | number | boolean | null ? T : { -readonly [K in keyof T]: Plain<T[K]> };

/** Whether two types are one and the same; that each can be given for the other is not enough. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A decision on some field, its types forgotten. */
export type AnyFieldDecision =
  | { readonly kind: 'published'; readonly name: string; readonly write: (value: never) => unknown }
  | { readonly kind: 'identity' }
  | { readonly kind: 'kept'; readonly reason: string };

/** What the published ones of the fields make. */
export type MadeOf<F> = {
  [
    K in keyof F as F[K] extends { readonly kind: 'published'; readonly name: infer N extends string }
      ? N
      : never
  ]: F[K] extends { readonly kind: 'published'; readonly write: (value: never) => infer Out } ? Out : never;
};

/** `unknown` where what is made is exactly what the contract says; otherwise a type that nothing fits. */
export type AsPromised<Made, Promised> =
  Equal<Plain<Made>, Plain<Promised>> extends true
    ? unknown
    : { readonly theContractSays: Plain<Promised>; readonly theMappingMakes: Plain<Made> };
