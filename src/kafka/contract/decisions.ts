import type { z } from 'zod';
import { type EventDescriptions, eventDescriptions, type EventType } from '../../domain/events.ts';
import type { AnyFieldDecision, Publication as Decision } from '../../domain/kernel/publication.ts';
import type { IdentityData } from './identity.ts';
import type { MessageContract } from './messages/message-contract.ts';
import { messages } from './messages/messages.ts';

/** The type without `readonly`, at every depth, because zod schemas cannot express it. */
type Plain<T> = T extends string | number | boolean | null ? T : { -readonly [K in keyof T]: Plain<T[K]> };

/** Whether two types are identical; mutual assignability is not enough. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type MadeOf<F> = {
  [
    K in keyof F as F[K] extends { readonly kind: 'published'; readonly name: infer N extends string }
      ? N
      : never
  ]: F[K] extends { readonly kind: 'published'; readonly write: (value: never) => infer Out } ? Out : never;
};

/** The fields that the description of an event publishes; never for one that stays inside. */
type FieldsOf<T extends keyof EventDescriptions> = EventDescriptions[T] extends {
  readonly kafka: { readonly fields: infer F };
}
  ? F
  : never;
type Published = {
  [T in keyof EventDescriptions]: [FieldsOf<T>] extends [never] ? never : T;
}[keyof EventDescriptions];

/** A message whose data are not exactly what the description of its event publishes has a type that no value has. */
type AsPromised<T extends keyof EventDescriptions, M extends MessageContract> =
  Equal<Plain<IdentityData<M['identity']> & MadeOf<FieldsOf<T>>>, Plain<z.output<M['data']>>> extends true
    ? M
    : {
        readonly theContractSays: Plain<z.output<M['data']>>;
        readonly theMappingMakes: Plain<IdentityData<M['identity']> & MadeOf<FieldsOf<T>>>;
      };
type Promised<M extends Readonly<Record<string, MessageContract>>> = {
  readonly [T in Published | keyof M]: T extends Published & keyof M
    ? AsPromised<T, M[T]>
    : { readonly isNotBothPublishedAndPromised: T };
};

const promised: Readonly<Record<string, MessageContract>> = messages satisfies Promised<typeof messages>;

/** Which events are published, and why the others are not. */
export const decisions = Object.fromEntries(
  Object.entries(eventDescriptions).map(([type, { kafka }]) => [type, kafka]),
) as { readonly [T in EventType]: Decision };

export type Publication = {
  readonly event: EventType;
  readonly message: MessageContract;
  readonly fields: Readonly<Record<string, AnyFieldDecision>>;
};

export const publications: readonly Publication[] = Object.entries(promised).flatMap(([type, message]) => {
  const event = type as EventType;
  const decision = decisions[event];
  return decision.kind === 'published' ? [{ event, message, fields: decision.fields }] : [];
});

export const publishedTypes: readonly EventType[] = publications.map(({ event }) => event);
