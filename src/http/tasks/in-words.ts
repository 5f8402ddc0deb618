import type { Field, InputProblem } from '../../tasks/fields.ts';
import type { FieldProblem } from '../../commands/kernel/outcome.ts';
import type { Entity, Json, Services, Task, TaskRefused } from '../../tasks/task.ts';
import { withIdsAlone } from '../../tasks/perform.ts';
import { eventSentence } from '../../domain/events.ts';
import { sentenceOf, textOf } from '../../domain/kernel/sentence.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { english, type Words } from '../../common/words.ts';
import { markup, type Html, type Part } from '../pages/html.ts';

type Message = ((...given: readonly unknown[]) => string) & { readonly takes: readonly string[] };
type Text = string | Message | undefined;
type Texts = Readonly<Record<string, Text>>;

/** A text by its id, some parts of which are names of the table; undefined where there is none. */
const textAt = (words: Words, ...id: readonly string[]): Text =>
  id.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
    words,
  ) as Text;

const gap = '\uFDD2';

const inEnglish = (['problems', 'allowed', 'deliveries'] as const).flatMap((family) =>
  Object.entries<Text>(english[family] as unknown as Texts).map(([id, text = '']) => {
    const parts = typeof text === 'string' ? [text] : text(...text.takes.map(() => gap)).split(gap);
    return { family, id, parts, letters: parts.join('').length };
  }),
);

/** What a message of English is given in a text that it has made; null if it has not made it. */
const givenIn = (text: string, [first = '', ...others]: readonly string[]): readonly string[] | null => {
  if (others.length === 0) return text === first ? [] : null;
  if (!text.startsWith(first)) return null;
  const rest = text.slice(first.length);
  const [next = ''] = others;
  const end =
    others.length === 1 ? (rest.endsWith(next) ? rest.length - next.length : -1) : rest.indexOf(next);
  const after = end < 0 ? null : givenIn(rest.slice(end), others);
  return after && [rest.slice(0, end), ...after];
};

/** Those with the fewest letters of their own are the most general. */
const byLetters = inEnglish.toSorted((one, other) => other.letters - one.letters);

/**
 * What is wrong with a value, what a field accepts, or how a receiver failed, in the reader's language. Commands and the table say it in English, for programs:
 * the message of English that has made the text is found, and that of the language is given the same. Other texts stay.
 */
export const textIn = (words: Words, text: string): string => {
  for (const { family, id, parts } of byLetters) {
    const given = givenIn(text, parts);
    const own = given && textAt(words, family, id);
    if (own) return typeof own === 'string' ? own : own(...given.map((each) => textIn(words, each)));
  }
  return text;
};

/** What a field of an answer is called. */
export const labelOf = ({ labels }: Words, key: string): string =>
  ((labels as Texts)[key] as string | undefined) ?? key;

/** A state, a role and the like. */
export const valueIn = ({ values }: Words, value: string): string =>
  ((values as Texts)[value] as string | undefined) ?? value;

type About = Pick<Entity, 'name' | 'texts'>;

/** A text of an entity as its audience reads it, or else as operators do. */
const textOn = (words: Words, { name, texts = name }: About, ...id: readonly string[]): Text =>
  textAt(words, 'tasks', texts, ...id) ?? textAt(words, 'tasks', name, ...id);

export const nounOf = (words: Words, about: About): string => String(textOn(words, about, 'noun'));

/** "Add-ons", "Grants". */
export const headingOf = (words: Words, { plural }: Pick<Entity, 'plural'>): string => labelOf(words, plural);

export const summaryOf = (words: Words, about: About, task: Pick<Task, 'name'>): string =>
  String(textOn(words, about, task.name, 'summary'));

/** @param services where it depends on settings */
export const effectOf = (
  words: Words,
  about: About,
  { name, effectNow }: Pick<Task, 'name' | 'effectNow'>,
  services?: Services,
): string => String(textOn(words, about, name, (services && effectNow?.(services)) ?? 'effect') ?? '');

/** Of a button; the page behind it says it in full. */
export const buttonOf = (words: Words, about: About, task: Pick<Task, 'name'>): string =>
  (words.operator.buttons as Readonly<Record<string, string>>)[task.name] ?? summaryOf(words, about, task);

/** Title and description of a field of a task, or of a filter of the list: its own, those of the entity, or those of all. */
export const fieldIn = (
  words: Words,
  about: About,
  task: Pick<Task, 'name'> | null,
  { name, given }: Pick<Field, 'name' | 'given'>,
) => {
  const places = task === null ? [['filters']] : [[task.name, 'fields'], ['fields']];
  const own = places.flatMap((place) => textOn(words, about, ...place, name) ?? [])[0];
  const found = own ?? textAt(words, 'tasks', 'fields', name);
  const { title = name, description = '' } = (found ?? {}) as unknown as Texts;
  return {
    title: String(title),
    description: typeof description === 'string' ? description : description(...given),
  };
};

/** How many in a list need work: "3 add-ons have a change that waits". */
export const workIn = (words: Words, about: About, count: number): string => {
  const known = textOn(words, about, 'work') ?? '';
  return typeof known === 'string' ? known : known(count);
};

/** The head of a column in the list of an entity, or in one of its parts. */
export const columnIn = (words: Words, about: About, part: string | null, key: string): string =>
  String(
    textOn(words, about, ...(part === null ? ['columns'] : ['parts', part]), key) ?? labelOf(words, key),
  );

/** What a list of a thing says where it is empty. */
export const noneIn = (words: Words, about: About, part: string): string =>
  String(textOn(words, about, 'none', part));

/** What is said above it; empty: nothing. */
export const introOf = (words: Words, about: About, part: string, json: Json): string => {
  const known = textOn(words, about, 'intros', part) ?? '';
  return typeof known === 'string' ? known : known(...known.takes.map((taken) => json[taken]));
};

export const refusalIn = (words: Words, refused: TaskRefused): string => {
  const { refusal, message, candidates = [], changes = [] } = refused;
  const known = textAt(words, 'refusals', refusal);
  if (typeof known !== 'function') return known ?? sentence(message);
  const told: Readonly<Record<string, string>> = {
    candidates: candidates
      .map(({ id, name, email }) => `${id} (${[name, email].filter(Boolean).join(', ')})`)
      .join(', '),
    changes: changes.map((each) => changeIn(words, each)).join(' '),
  };
  return known(...known.takes.map((taken) => told[taken])).trim();
};

const changeIn = (words: Words, { event, stream, metadata: { actor } }: RecordedEvent): string => {
  const text = textOf(sentenceOf(eventSentence(event, { ...withIdsAlone(stream), words: words.events })));
  return actor === undefined ? text : `${text} (${words.auditLog.by(actor)})`;
};

type Counted = { readonly revoked_grants?: number };

/** What was done, where the answer has more than the new state. */
export const doneIn = (
  words: Words,
  { name }: About,
  task: Task,
  { text, json }: { readonly text: string; readonly json: Json },
): string => {
  const known = textAt(words, 'done', `${name}.${task.name}`);
  if (typeof known !== 'function') return known ?? text;
  const receipts = (json['receipts'] ?? []) as readonly Counted[];
  const identities = (json['identities'] ?? []) as readonly { provider: string; subject: string }[];
  const given: Json = {
    ...json,
    ...(json['remains'] as Json | undefined),
    receipts: receipts.length,
    revoked_grants: receipts.reduce((sum, { revoked_grants: grants = 0 }) => sum + grants, 0),
    identities:
      identities.map(({ provider, subject }) => words.operator.identity(provider, subject)).join(', ') ||
      null,
  };
  return known(...known.takes.map((taken) => given[taken]));
};

export const allowedIn = (words: Words, { field, allowed }: InputProblem) => ({
  field,
  text: words.operator.allowed(textIn(words, allowed)),
});

export const allAllowedIn = (words: Words, problems: readonly InputProblem[]): string =>
  problems.map(({ field, allowed }) => words.operator.fieldAllowed(field, textIn(words, allowed))).join(' ');

/** What a command says of a field; of one in a list, next to the list. */
export const problemIn = (words: Words, { field, message }: FieldProblem) => ({
  field: field.replace(/\[\d+\]$/, ''),
  text: fieldProblem(words, textIn(words, message)),
});

const fieldProblem = ({ operator }: Words, problem: string): string =>
  operator.fieldProblem(problem, capitalized(problem));

const sentence = (text: string): string => `${capitalized(text)}.`.replace(/\.\.$/, '.');

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A sentence whose marked names stand for these parts. */
export const withParts = (text: string, parts: Readonly<Record<string, Part>>): Html =>
  markup`${sentenceOf(text).map(({ kind, text: part }) => (kind === 'name' ? (parts[part] ?? part) : part))}`;
