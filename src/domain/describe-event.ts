import { z } from 'zod';
import { english } from '../common/words.ts';
import type { About, Owner, Place } from './event-subjects.ts';
import type { DecidedFully, Publication } from './kernel/publication.ts';
import type { PersonalSubject } from './personal-data.ts';
import type { Notice, NoticeContext } from './signals/notice.ts';
import type { StreamName } from './streams.ts';

/** Milliseconds since the Unix epoch. */
export const instant = z.int();

/** A count or a number of something. */
export const whole = z.int();

/** What sentences are made of: names, which are marked, with ids, and what the event itself does not contain. */
export type SentenceContext = {
  /** The part of the stream's name after the first dash. */
  readonly streamId: string;
  readonly owner: Owner | null;
  readonly organization: (id: string) => string;
  readonly addon: (id: string) => string;
  readonly user: (id: string) => string;
} & typeof spelled;

/** What sentences contain that is no name, and the sentences themselves, as programs read them: in English. */
export const spelled = {
  words: english.events,
  grant: (id: string): string => `grant ${id}`,
  time: (at: number): string => new Date(at).toISOString(),
  /** Between two times or days (RFC 3339), which may be the same. */
  period: (from: string, to: string): string =>
    from === to ? from : english.events.searches.between(from, to),
  scopes: (scopes: readonly string[]): string => scopes.join(' '),
};

/** Scopes in a sentence. */
export const listOf = (list: readonly string[], { words, scopes }: SentenceContext): string =>
  list.length === 0 ? words.noScope : scopes(list);

/** With `readonly` at every depth, which zod schemas cannot express. */
type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [K in keyof T]: Frozen<T[K]> };

/** Fields that can have the value `erased`: texts, or texts and null. */
type TextFields<D> = { [K in keyof D]-?: 'erased' extends D[K] ? K : never }[keyof D];

/** What each module has to know about an event type whose data are `D`. */
type Description<D> = {
  /** What happened, in one sentence: who acted, and why, is shown next to it. */
  readonly sentence: (data: D, context: SentenceContext) => string;
  /** The subjects whose timelines contain it; null: no timeline does. */
  readonly subjects: ((data: D, place: Place) => readonly About[]) | null;
  /** What it says to add-ons, in order; null for nothing (SG-05). */
  readonly notices: ((data: D, context: NoticeContext) => readonly Notice[]) | null;
  /**
   * The personal fields, and the person they belong to. They are encrypted when the event is stored and decrypted when it
   * is read. Ids and references by id stay: alone they identify nobody.
   */
  readonly personal?: {
    readonly fields: readonly TextFields<D>[];
    /** @param id the part of the stream's name after the category */
    readonly subject: (data: D, id: string) => PersonalSubject;
  };
  /** Where the data name their subject: the only stream that may hold the event. */
  readonly ownStream?: (data: D) => StreamName;
};

type Shape = z.ZodRawShape & { readonly at: typeof instant };
/** What a schema with these fields reads; all of them are there. */
export type DataOf<S extends z.ZodRawShape> = { readonly [K in keyof S]: Frozen<z.output<S[K]>> };

/** An event type as described, without the types of its data. */
export type AnyEventDescription = Omit<Description<never>, 'personal'> & {
  readonly schema: z.ZodObject;
  /** Whether a reader that does not know the event may continue without it (ADR 77). */
  readonly maySkip: boolean;
  readonly kafka: Publication;
  readonly personal?: {
    readonly fields: readonly string[];
    readonly subject: (data: never, id: string) => PersonalSubject;
  };
};

export type EventDescription<D, P extends Publication> = AnyEventDescription & {
  readonly kafka: P;
  /** Never set at run time: it is the type of the data. */
  readonly dataType?: D;
};

export type DataIn<E, T extends keyof E> = E[T] extends { readonly dataType?: infer D }
  ? NonNullable<D>
  : never;

/** The events of some descriptions: their data are what the schemas say. */
export type EventsIn<E> = {
  [T in keyof E]: { readonly type: T; readonly data: DataIn<E, T> };
}[keyof E];

const describing =
  (maySkip: boolean) =>
  <S extends Shape, const P extends Publication>(
    shape: S,
    description: Description<DataOf<S>> & { readonly kafka: P & DecidedFully<DataOf<S>, P> },
  ): EventDescription<DataOf<S>, P> =>
    ({ ...description, schema: z.strictObject(shape), maySkip }) as EventDescription<DataOf<S>, P>;

/** An event without which a reader would decide or show something wrong: a version that does not know it refuses to decide on the stream. */
export const mustKnow = describing(false);

/** Describes an event without which a reader still decides correctly, such as a note: a version that does not know it skips it. */
export const maySkip = describing(true);
