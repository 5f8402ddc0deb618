import { z } from 'zod';
import type { DomainEvent } from '../../domain/events.ts';

/** The type without `readonly`, at every depth, because zod schemas cannot express it. */
type Plain<T> = T extends string | number | boolean | null ? T : { -readonly [K in keyof T]: Plain<T[K]> };

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? SameKeys<A, B> : false) : false;
type SameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;

type DataOf<E extends DomainEvent, T extends E['type']> = Plain<Extract<E, { readonly type: T }>['data']>;

/**
 * One schema per event type of an aggregate. A schema that differs from the domain type of its event does not compile,
 * and neither does an event type without a schema.
 */
export const schemasOf =
  <E extends DomainEvent>() =>
  <S extends { readonly [T in E['type']]: z.ZodType<DataOf<E, T>> }>(
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
