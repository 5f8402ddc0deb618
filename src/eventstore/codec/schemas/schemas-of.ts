import { z } from 'zod';
import type { DomainEvent } from '../../../domain/events.ts';

/** The type without `readonly`, at every depth, because zod schemas cannot express it. */
type Plain<T> = T extends string | number | boolean | null ? T : { -readonly [K in keyof T]: Plain<T[K]> };

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? SameKeys<A, B> : false) : false;
type SameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;

const ifUnknown = Symbol('ifUnknown');

/** What a reader does with an event whose type or version it does not know. */
type Answered = { readonly [ifUnknown]: 'stop' | 'skip' };

/** The schema of an event, with that answer. */
export type EventSchema = z.ZodType & Answered;

const answering =
  (answer: Answered[typeof ifUnknown]) =>
  <S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> & Answered =>
    Object.assign(z.strictObject(shape), { [ifUnknown]: answer });

/**
 * The schema of an event without which a reader would decide or show something wrong, such as a revocation: an older
 * version that does not know it refuses to decide on the stream.
 */
export const mustKnow = answering('stop');

/** The schema of an event without which a reader still decides correctly, such as a note: older versions skip it. */
export const maySkip = answering('skip');

export const isSkippable = (schema: z.ZodType): boolean =>
  (schema as Partial<Answered>)[ifUnknown] === 'skip';

type DataOf<E extends DomainEvent, T extends E['type']> = Plain<Extract<E, { readonly type: T }>['data']>;

/**
 * One schema per event type of an aggregate, each made by `mustKnow` or `maySkip`. A schema that differs from the domain type of its event does not compile,
 * and neither does an event type without a schema.
 */
export const schemasOf =
  <E extends DomainEvent>() =>
  <S extends { readonly [T in E['type']]: EventSchema & z.ZodType<DataOf<E, T>> }>(
    schemas: S & {
      readonly [T in keyof S]: T extends E['type']
        ? S[T] extends z.ZodType<infer Out>
          ? Same<Out, DataOf<E, T>> extends true
            ? unknown
            : { readonly differsFromTheDomainType: T }
          : never
        : { readonly notAnEventType: T };
    },
  ): S =>
    schemas;

/** Milliseconds since the Unix epoch. */
export const instant = z.int();

/** A count or a number of something. */
export const whole = z.int();
