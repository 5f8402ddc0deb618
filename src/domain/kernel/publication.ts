import type { Instant } from './decision.ts';

/** Never set at run time: it ties a decision to the exact type of the field, so that another type needs a new decision. */
type DecidedFor<V> = { readonly decidedFor?: (value: V) => V };

/** The field is published under this name, in the form that `write` returns. */
export type PublishedAs<V, N extends string, Out> = DecidedFor<V> & {
  readonly kind: 'published';
  readonly name: N;
  readonly write: (value: V) => Out;
};

/** The field is already part of the message's identity (`Identity` in src/kafka). */
export type InIdentity<V> = DecidedFor<V> & { readonly kind: 'identity' };

export type KeptBack<V> = DecidedFor<V> & { readonly kind: 'kept'; readonly reason: string };

type FieldDecision<V> = PublishedAs<V, string, unknown> | InIdentity<V> | KeptBack<V>;

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

export type AnyFieldDecision =
  | { readonly kind: 'published'; readonly name: string; readonly write: (value: never) => unknown }
  | { readonly kind: 'identity' }
  | { readonly kind: 'kept'; readonly reason: string };

type Fields = Readonly<Record<string, AnyFieldDecision>>;

/** Whether Kafka publishes events of a type, and what of them. The message that readers are promised is in src/kafka/contract/messages. */
export type Publication<F extends Fields = Fields> =
  { readonly kind: 'published'; readonly fields: F } | { readonly kind: 'internal'; readonly reason: string };

/** `reason` completes the sentence "it does not go out, for …". */
export const internal = (reason: string) => ({ kind: 'internal', reason }) as const;

export const publish = <const F extends Fields>(fields: F) => ({ kind: 'published', fields }) as const;

/** `unknown` if there is exactly one decision for each field of the data, made for its type: an internal change never changes what is published without a decision. */
export type DecidedFully<D, P> = P extends { readonly fields: infer F }
  ? F extends { readonly [K in keyof D]-?: FieldDecision<D[K]> }
    ? Exclude<keyof F, keyof D> extends never
      ? unknown
      : { readonly notFields: Exclude<keyof F, keyof D> }
    : { readonly undecided: { readonly [K in keyof D]-?: FieldDecision<D[K]> } }
  : unknown;
