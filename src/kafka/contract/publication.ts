import type { z } from 'zod';
import type { EventOf, EventType } from '../../domain/events.ts';
import type { AnyFieldDecision, AsPromised, FieldDecision, MadeOf } from './field-decision.ts';
import type { IdentityData, IdentityKind } from './identity.ts';
import type { MessageContract } from './messages/message-contract.ts';

/** Whether and how events of one type are published. */
export type Decision<T extends EventType> = Publication<T> | Internal;

export type Internal = { readonly kind: 'internal'; readonly reason: string };

export type Publication<T extends EventType> = {
  readonly kind: 'published';
  readonly event: T;
  readonly message: MessageContract;
  readonly identity: IdentityKind;
  readonly fields: Readonly<Record<string, AnyFieldDecision>>;
};

type DataOf<T extends EventType> = EventOf<T>['data'];

/** Exactly one decision for each field. */
type EachFieldOf<T extends EventType> = { readonly [K in keyof DataOf<T>]-?: FieldDecision<DataOf<T>[K]> };
type NoOthers<T extends EventType, F> = {
  readonly [K in keyof F]: K extends keyof DataOf<T> ? unknown : { readonly notAFieldOf: T };
};

/** `reason` completes the sentence "it does not go out, for …". */
export const internal = (reason: string): Internal => ({ kind: 'internal', reason });

/**
 * Publishes events of this type as this message. Compiles only if every field of the event's data has a decision for
 * its type, and the published fields are exactly those of the message's schema: an internal change never changes the
 * contract without a decision.
 */
export const publish = <
  const T extends EventType,
  const M extends MessageContract,
  const I extends IdentityKind,
  const F extends EachFieldOf<T>,
>(
  event: T,
  message: M,
  identity: I,
  fields: F & NoOthers<T, F> & AsPromised<IdentityData<I> & MadeOf<F>, z.output<M['data']>>,
): Publication<T> => ({ kind: 'published', event, message, identity, fields });
