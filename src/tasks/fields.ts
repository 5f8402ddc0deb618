import { z } from 'zod';
import { english } from '../common/words.ts';
import { isUlid, ownId, recordId } from '../domain/kernel/ids.ts';
import { longestName } from '../domain/kernel/name.ts';
import type { About } from '../domain/event-subjects.ts';
import { parsePosition } from '../audit/timeline/position-text.ts';

const { allowed } = english;

/** `title` is the label on pages, `description` is for the command line and the API, `x-allowed` says what the field accepts. */
export type Words = {
  readonly title: string;
  readonly description: string;
  /** What the description is given, where it is a message. */
  readonly given?: readonly (string | number)[];
};

/** Words whose description is a message. */
export const given = <Values extends readonly (string | number)[]>(
  { title, description }: { readonly title: string; readonly description: (...values: Values) => string },
  ...values: Values
): Words => ({ title, description: description(...values), given: values });

const meta = ({ title, description, given }: Words, accepts: string) => ({
  title,
  description,
  ...(given && { 'x-given': given }),
  'x-allowed': accepts,
});
const oneLine = /^[^\p{Control}\p{Surrogate}]*$/u;
/** What UTF-8 and the database can hold: neither NUL nor half a character. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

/** A line of text. @param most how many characters, as people and JSON Schema count them; help says it where it is given */
export const text = (words: Words, given?: number, most = given ?? 200) =>
  z
    .string()
    .trim()
    .min(1)
    .max(2 * most)
    .refine((value) => Array.from(value).length <= most)
    .regex(oneLine)
    .meta({ ...meta(words, allowed.line(most)), maxLength: most, ...(given && { 'x-most': given }) });

/** What people and things are called. */
export const nameField = (words: Words) => text(words, longestName);

export const id = (words: Words) =>
  z
    .string()
    .regex(new RegExp(ownId.pattern))
    .meta(meta(words, allowed.id(ownId.allowed)));

/** Of a record of the host platform. One that is malformed is answered like an unknown one. */
export const record = (words: Words) =>
  z.string().min(1).max(200).regex(oneLine).meta(meta(words, recordId.allowed));

/** The things that a field can name. */
export type Referred = 'organization' | 'user' | 'addon' | 'publisher';

const namedBy: Readonly<Record<Referred, string>> = {
  organization: allowed.organization,
  user: allowed.user,
  addon: allowed.named,
  publisher: allowed.named,
};

/** Names one of these things; `find.ts` makes an id of it. */
export const reference = (words: Words, refersTo: Referred) =>
  z
    .string()
    .trim()
    .min(1)
    .max(320)
    .regex(oneLine)
    .meta({ ...meta(words, namedBy[refersTo]), 'x-refers-to': refersTo });

export const whole = (words: Words, least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .meta(meta(words, allowed.whole(least, most)));

/** Of an event in the log. */
export const position = (words: Words) =>
  z
    .string()
    .trim()
    .refine((value) => parsePosition(value) !== null)
    .meta(meta(words, allowed.position));

/** The domain checks whether the address fits its purpose. */
export const address = (words: Words) =>
  z
    .string()
    .max(2000)
    .refine((value) => URL.canParse(value))
    .meta(meta(words, allowed.url));

export const oneOf = <const Values extends readonly [string, ...string[]]>(words: Words, values: Values) =>
  z.enum(values).meta(meta(words, allowed.oneOf(values.join(', '))));

/** One or more; on the command line the option may be repeated, on a page each has a line. */
export const several = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .min(1)
    .max(1000)
    .meta({ ...item.meta(), 'x-allowed': allowed.list(allowedIn(item)) });

/** A whole list, which may be empty. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(1000)
    .meta({ ...item.meta(), 'x-allowed': `a whole list; each is ${allowedIn(item)}` });

/** The same, or null where it is to be removed. */
export const orNull = <Item extends z.ZodType>(item: Item) =>
  item.nullable().meta({ ...item.meta(), 'x-allowed': `${allowedIn(item)}, or null` });

/** True, or not sent. @param about the field whose meaning it changes: a form about that one has it, too */
export const flag = (words: Words, about?: string) =>
  z.boolean().meta({ ...meta(words, allowed.yesOrNo), ...(about !== undefined && { 'x-about': about }) });

/** A flag that overrides these refusals: a page asks for it after one of them (PG-20). */
export const override = (words: Words, refusals: readonly string[], about?: string) => {
  const made = flag(words, about);
  return made.meta({ ...made.meta(), 'x-overrides': refusals });
};

/** A setting that is on or off. The command line and pages send a word, which may be the one that the command line prints. */
export const yesOrNo = (words: Words) =>
  z
    .union([
      z.boolean(),
      z.enum(['true', 'false', 'yes', 'no']).transform((value) => /^(?:true|yes)$/.test(value)),
    ])
    .meta(meta(words, allowed.yesOrNo));

/** On the command line it is read from standard input, and no page shows it again. */
export const secret = (words: Words) =>
  z
    .string()
    .max(1024)
    .refine(isStorable)
    .meta({ ...meta(words, allowed.text(1024)), 'x-secret': true });

/** A file, in base64. A file that is too long passes, so that the task can say what is wrong with it. */
export const file = (words: Words, what: string, mostBytes: number) =>
  z
    .string()
    .min(1)
    .meta({ ...meta(words, allowed.inBase64(what)), 'x-most-bytes': mostBytes });

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

export const msOfAge = (text: string): number => Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? NaN);

/** A length of time, such as `90d`: in milliseconds. */
export const age = (words: Words) =>
  z
    .string()
    .regex(/^\d{1,6}[dhms]$/)
    .transform(msOfAge)
    .meta({ ...meta(words, allowed.duration), 'x-offered': ['30d', '90d', '180d', '365d'] });

export const reason = text(english.tasks.fields.reason, 500);

export const next = {
  description: 'The `next` of the previous answer.',
  'x-allowed': 'the next of an answer',
};

/** Which page of a list. */
export const pageFields = z.object({
  limit: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .meta({
      description: 'The maximum number in an answer.',
      'x-allowed': allowed.whole(1, 1000),
    }),
  after: z
    .string()
    .refine((text) => isUlid(text) || parsePosition(text) !== null)
    .meta(next)
    .optional(),
});

/** The body of a task over HTTP: its fields, and the reason. */
export const bodyOf = (input: z.ZodObject): z.ZodObject =>
  z.object({ ...input.shape, reason: reason.optional() });

/** Which fields are given together. */
export type Rule =
  | { readonly field: string; readonly needs: string }
  | { readonly field: string; readonly excludes: readonly string[] }
  | { readonly field: string; readonly requiredUnless: string };

export type FieldKind = 'text' | 'number' | 'flag' | 'several' | 'choice' | 'secret' | 'file';

export type Field = {
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly description: string;
  readonly allowed: string;
  readonly isRequired: boolean;
  readonly values: readonly string[];
  readonly mostBytes: number;
  /** The most characters, where help says it; 0: it does not. */
  readonly most: number;
  /** What it names, if it is a reference or a list of such. */
  readonly refersTo: Referred | null;
  /** The field whose meaning it changes. */
  readonly about: string | null;
  /** Some that are offered where one chooses; others are accepted, too. */
  readonly offered: readonly string[];
  /** The refusals that it overrides; null: it is asked at once. */
  readonly overrides: readonly string[] | null;
  /** What its description is given. */
  readonly given: readonly (string | number)[];
};

export const fieldsOf = (input: z.ZodObject): readonly Field[] =>
  Object.entries(input.shape).map(([name, schema]) => {
    const given = schema as z.ZodType;
    const inner = withoutOptional(given);
    const { title = name, description = '' } = { ...inner.meta(), ...given.meta() };
    return {
      name,
      kind: kindOf(withoutNull(inner)),
      title,
      description,
      allowed: allowedIn(given instanceof z.ZodDefault ? given : inner),
      isRequired: inner === given,
      values: valuesOf(inner),
      mostBytes: Number(inner.meta()?.['x-most-bytes'] ?? 0),
      most: Number(inner.meta()?.['x-most'] ?? 0),
      refersTo: (inner.meta()?.['x-refers-to'] as Referred | undefined) ?? null,
      about: (inner.meta()?.['x-about'] as string | undefined) ?? null,
      offered: (inner.meta()?.['x-offered'] as readonly string[] | undefined) ?? [],
      overrides: (inner.meta()?.['x-overrides'] as readonly string[] | undefined) ?? null,
      given: (inner.meta()?.['x-given'] as Field['given'] | undefined) ?? [],
    };
  });

/** The ids that a checked input has in place of names. */
export const idsOfInput = (input: z.ZodObject, given: Readonly<Record<string, unknown>>): readonly About[] =>
  fieldsOf(input).flatMap(({ name, refersTo }) =>
    refersTo === null || refersTo === 'publisher'
      ? []
      : [given[name]].flat().flatMap((id) => (typeof id === 'string' ? [{ kind: refersTo, id }] : [])),
  );

const valuesOf = (schema: z.ZodType): readonly string[] => {
  if (schema instanceof z.ZodArray) return valuesOf(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion) return ['true', 'false'];
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
};

/** With a default it may be left out, too. `partial()` makes an optional field optional once more. */
const withoutOptional = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? withoutOptional(schema.unwrap() as z.ZodType)
    : schema;

const withoutNull = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable ? withoutNull(schema.unwrap() as z.ZodType) : schema;

const allowedIn = (schema: z.ZodType): string => {
  const accepts = schema.meta()?.['x-allowed'];
  return typeof accepts === 'string' ? accepts : 'something else';
};

const kindOf = (schema: z.ZodType): FieldKind => {
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodArray) return 'several';
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodUnion) return 'choice';
  const { 'x-secret': isSecret, 'x-most-bytes': isFile } = schema.meta() ?? {};
  return isSecret === true ? 'secret' : isFile === undefined ? 'text' : 'file';
};

/** The most bytes of a body over HTTP: four times those of its files, so that a file which is too large is refused by name; null without files. */
export const bodyLimitOf = (...inputs: readonly z.ZodObject[]): number | null => {
  const files = inputs.flatMap(fieldsOf).reduce((sum, { mostBytes }) => sum + mostBytes, 0);
  return files === 0 ? null : files * 4;
};

export type InputProblem = {
  readonly field: string;
  readonly code: 'unknown' | 'malformed';
  readonly allowed: string;
};

/** Which rule is broken by what is given; null: none. Flags that are false are not given. */
export const brokenRule = <Broken extends Rule>(
  rules: readonly Broken[],
  given: Readonly<Record<string, unknown>>,
): (Broken & { readonly other: string }) | null => {
  const has = (name: string) => given[name] !== undefined && given[name] !== false;
  for (const rule of rules) {
    if ('needs' in rule && has(rule.field) && !has(rule.needs)) return { ...rule, other: rule.needs };
    if ('requiredUnless' in rule && !has(rule.field) && !has(rule.requiredUnless))
      return { ...rule, other: rule.requiredUnless };
    if ('excludes' in rule && has(rule.field)) {
      const other = rule.excludes.find(has);
      if (other !== undefined) return { ...rule, other };
    }
  }
  return null;
};

const ruleProblems = (
  input: z.ZodObject,
  rules: readonly Rule[],
  given: Readonly<Record<string, unknown>>,
): readonly InputProblem[] => {
  const broken = brokenRule(rules, given);
  if (broken === null) return [];
  const { field, other } = broken;
  const code = 'malformed';
  if ('needs' in broken) return [{ field, code, allowed: allowed.without(other) }];
  if ('excludes' in broken) return [{ field: other, code, allowed: allowed.together(field) }];
  return [{ field, code, allowed: fieldsOf(input).find(({ name }) => name === field)?.allowed ?? 'a value' }];
};

/** Unknown names come from outside: they are shortened, and characters that could harm logs and terminals are replaced. */
export const printable = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64);

/** Checks a whole input. Errors name every field with what is allowed, and never repeat a value. */
export const readInput = (
  input: z.ZodObject,
  given: unknown,
  rules: readonly Rule[] = [],
):
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly InputProblem[] } => {
  const read = z.strictObject(input.shape).safeParse(given);
  if (read.success) {
    const broken = ruleProblems(input, rules, read.data);
    return broken.length > 0 ? { ok: false, problems: broken } : { ok: true, value: read.data };
  }
  const fields = fieldsOf(input);
  const names = fields.map(({ name }) => name).join(', ');
  const problems = read.error.issues.flatMap((issue): readonly InputProblem[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        field: printable(key),
        code: 'unknown',
        allowed: names === '' ? allowed.none : allowed.oneOf(names),
      }));
    const [name = ''] = issue.path.map(String);
    const field = fields.find((candidate) => candidate.name === name);
    return [{ field: name, code: 'malformed', allowed: field?.allowed ?? 'a JSON object' }];
  });
  const unique = new Map(problems.map((problem) => [problem.field, problem]));
  return { ok: false, problems: [...unique.values()].slice(0, 20) };
};
