import { type DomainEvent, eventDescriptions, type EventOf, type EventType } from '../../domain/events.ts';
import type { SentenceContext } from '../../domain/describe-event.ts';

/**
 * The sentences about events, and what their kinds are called in filters. Types without an entry are described in English, as
 * for programs: so English has none.
 */
export type EventWords = {
  readonly [T in EventType]?: {
    readonly kind: string;
    readonly sentence: (data: EventOf<T>['data'], context: SentenceContext) => string;
  };
};

export const eventSentence = (words: EventWords, { type, data }: DomainEvent, context: SentenceContext) => {
  const { sentence } = words[type] ?? eventDescriptions[type];
  return (sentence as (data: unknown, context: SentenceContext) => string)(data, context);
};

/** `AddonActivated` as "Add-on activated". */
export const kindOfEvent = (words: EventWords, type: EventType): string => {
  const known = words[type]?.kind;
  if (known !== undefined) return known;
  const spaced = type.replaceAll(/(?<=[a-z])([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced.replace(/\baddon\b/i, (word) => (word === 'Addon' ? 'Add-on' : 'add-on'));
};
