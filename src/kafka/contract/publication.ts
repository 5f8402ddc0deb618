import type { z } from 'zod';
import type { EventOf, EventType } from '../../domain/events.ts';
import type { AnyFieldDecision, AsPromised, FieldDecision, MadeOf } from './field-decision.ts';
import type { IdentityData, IdentityKind } from './identity.ts';
import type { MessageContract } from './messages/message-contract.ts';

/** What becomes of the events of one type. */
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

/** A decision for each field, and none for fields that there are not. */
type EachFieldOf<T extends EventType> = { readonly [K in keyof DataOf<T>]-?: FieldDecision<DataOf<T>[K]> };
type NoOthers<T extends EventType, F> = {
  readonly [K in keyof F]: K extends keyof DataOf<T> ? unknown : { readonly notAFieldOf: T };
};

/** `reason` ends the sentence "it does not go out, for …". */
export const internal = (reason: string): Internal => ({ kind: 'internal', reason });

/**
 * Events of this type go out as this message. Does not compile unless every field of the event's data has a decision for its
 * type, and what those make is exactly what the message's schema promises: an internal change is no change of the contract
 * before somebody decided it.
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
