import { z } from 'zod';
import type { NameOf } from '../domain/event-subjects.ts';

// Fields that several answers share. `format` is only an annotation, for readers and for tools that check it.

export const instant = () => z.string().meta({ format: 'date-time', examples: ['2026-05-01T08:00:00Z'] });

export const uri = () => z.string().meta({ format: 'uri' });

/** An id that we generate; ids of records come from the host platform. */
export const ulid = () =>
  z.string().meta({ pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$', examples: ['01JD0000000000000000000000'] });

/** Good, waiting, over, or stopped: the colour of a badge. */
export type Tone = 'good' | 'wait' | 'off' | 'stop';

/** What an add-on may do now, for the platform as a whole. */
export const standings = { 'in use': 'good', suspended: 'stop', retired: 'off' } satisfies Record<
  string,
  Tone
>;

/** What pages have to know about a field of an answer, where its type does not say it. */
type Shown = {
  /** What the id, or each id of the list, is of: it has a name. */
  readonly names?: NameOf['kind'];
  readonly as?:
    | 'state'
    | 'word'
    | 'sentence'
    | 'scopes'
    | 'logo'
    | 'standing'
    | 'changes'
    | 'proposal'
    | 'day'
    | 'counts'
    | 'refusals'
    | 'reason';
  /** Of a state; one without a tone is over. */
  readonly tones?: Readonly<Record<string, Tone>>;
  /** How much room a list needs for the column to be worth it; others are always there. */
  readonly from?: 'm' | 'l';
  /** Whose label it has, where its own name does not say what it is. */
  readonly label?: string;
  /** The title of the thing says it: a list has no column for it. */
  readonly isTitle?: boolean;
  /** In a list it stands below the name: it distinguishes things of one name. */
  readonly isSecond?: boolean;
  /** Below the name of the thing, where its page begins: a yes as its label, a state always. */
  readonly inHead?: boolean;
  /** Of interest to programmers: apart from what people see. */
  readonly isTechnical?: boolean;
  /** Another field says it. */
  readonly isRepeated?: boolean;
};

const registry = z.registry<Shown>();

/** Says how a field is shown. What is made of it, also an optional one and a list, is shown in the same way. */
export const shown = <Schema extends z.ZodType>(schema: Schema, how: Shown): Schema => {
  registry.add(schema, { ...registry.get(schema), ...how });
  return schema;
};

/** The id of something that has a name. */
export const idOf = (names: NameOf['kind'], from?: 'm' | 'l') =>
  shown(z.string(), { names, ...(from && { from }) });

/** For programmers. */
export const technical = <Schema extends z.ZodType>(schema: Schema): Schema =>
  shown(schema, { isTechnical: true });

/** Whom an answer is about: `user_id` alone would say nothing (FX-94). */
export const aboutUser = () => shown(idOf('user'), { label: 'user' });

/** One of the words of a state; those that are named are more than over. */
export const state = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  tones: Readonly<Partial<Record<Values[number], Tone>>>,
) => shown(z.enum(values), { as: 'state', tones: tones as Readonly<Record<string, Tone>> });

/** What the thing is called. */
export const nameOf = () => shown(z.string(), { isTitle: true });

export type ShownField = Shown & {
  readonly name: string;
  /** Of an object, or of each object of a list. */
  readonly fields: ShownFields;
  /** Of a list of things: what each is. */
  readonly item?: z.ZodObject;
};

type Answer = Readonly<Record<string, unknown>>;

export type ShownFields = ReadonlyMap<string, ShownField>;

/** How the fields of an answer are shown, and those of what is in it. */
export const shownFields = (...shapes: readonly (z.ZodObject | undefined)[]): ShownFields =>
  new Map(
    shapes.flatMap((shape) =>
      Object.entries(shape?.shape ?? {}).map(([name, schema]) => [
        name,
        shownField(name, schema as z.ZodType),
      ]),
    ),
  );

export const shownField = (name: string, schema: z.ZodType): ShownField => {
  const how = registry.get(schema);
  if (schema instanceof z.ZodObject) return { ...how, name, fields: shownFields(schema) };
  const inner =
    schema instanceof z.ZodArray
      ? (schema.element as z.ZodType)
      : schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly
        ? (schema.unwrap() as z.ZodType)
        : null;
  if (inner === null) return { ...how, name, fields: new Map() };
  const item = schema instanceof z.ZodArray && inner instanceof z.ZodObject ? { item: inner } : {};
  return { ...shownField(name, inner), ...item, ...how };
};

/** The ids in answers that have names. */
export const idsIn = (fields: ShownFields, ...answers: readonly Answer[]): readonly NameOf[] =>
  answers.flatMap((answer) => [...fields.values()].flatMap((field) => idsInField(field, answer[field.name])));

const idsInField = (field: ShownField, value: unknown): readonly NameOf[] => {
  if (Array.isArray(value)) return value.flatMap((item) => idsInField(field, item));
  if (typeof value === 'object' && value !== null) return idsIn(field.fields, value as Answer);
  return field.names === undefined || typeof value !== 'string' ? [] : [{ kind: field.names, id: value }];
};
