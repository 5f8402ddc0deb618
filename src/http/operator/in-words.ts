import type { InputProblem } from '../../tasks/fields.ts';
import type { FieldProblem } from '../../commands/kernel/outcome.ts';
import type { Entity, Json, Task, TaskRefused } from '../../tasks/task.ts';
import { withIdsAlone } from '../../tasks/perform.ts';
import { sentenceOf, textOf } from '../../domain/kernel/sentence.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { markup, type Html, type Part } from '../pages/html.ts';
import type { Words } from '../words/en.ts';
import { eventSentence } from '../words/event-words.ts';

/** What a language has for a text of the table of tasks; null for none. */
export const translated = (words: Words, text: string): string | null => {
  const { tasks } = words.operator;
  const known = tasks.texts[text];
  if (known !== undefined) return known;
  for (const [pattern, sentence] of tasks.patterns) {
    const found = pattern.exec(text);
    if (found)
      return sentence.replaceAll(/\$(\d)/g, (_all, group: string) =>
        textIn(words, found[Number(group)] ?? ''),
      );
  }
  return null;
};

/** A text of the table of tasks in the reader's language; English where that has none. */
export const textIn = (words: Words, text: string): string => translated(words, text) ?? text;

/** `redirect_uris` as "Redirect URIs". */
export const labelOf = ({ operator: { tasks } }: Words, key: string): string => {
  const known = tasks.labels[key];
  if (known !== undefined) return known;
  const text = key
    .replace(/_(?:id|at)$/, (end) => (end === '_at' ? ' at' : ''))
    .replaceAll('_', ' ')
    .replace(/\b(?:id|ur[il])(?=s?\b)/g, (word) => word.toUpperCase());
  return capitalized(text);
};

/** A state, a role and the like. */
export const valueIn = ({ operator: { tasks } }: Words, value: string): string =>
  tasks.values[value] ?? value;

export const nounOf = (words: Words, { noun, name }: Pick<Entity, 'noun' | 'name'>): string =>
  textIn(words, noun ?? name);

/** "Add-ons", "Grants". */
export const headingOf = (words: Words, { plural }: Pick<Entity, 'plural'>): string => labelOf(words, plural);

/** Of a button; the page behind it says it in full. */
export const buttonOf = (words: Words, { name, summary }: Pick<Task, 'name' | 'summary'>): string =>
  (words.operator.buttons as Readonly<Record<string, string>>)[name] ?? textIn(words, summary);

export const refusalIn = (words: Words, refused: TaskRefused): string => {
  const { refusal, message, candidates = [], changes = [] } = refused;
  const told = { candidates, changes: changes.map((each) => changeIn(words, each)) };
  return words.operator.tasks.refusals[refusal]?.(told) ?? sentence(message);
};

const changeIn = (words: Words, { event, stream, metadata: { actor } }: RecordedEvent): string => {
  const text = textOf(sentenceOf(eventSentence(words.events, event, withIdsAlone(stream))));
  return actor === undefined ? text : `${text} (${words.auditLog.by(actor)})`;
};

/** What was done, where the answer has more than the new state. */
export const doneIn = (
  { operator: { tasks } }: Words,
  { name }: Pick<Entity, 'name'>,
  task: Task,
  { text, json }: { readonly text: string; readonly json: Json },
): string => tasks.done[`${name}.${task.name}`]?.(json) ?? text;

export const allowedIn = (words: Words, { field, allowed }: InputProblem) => ({
  field,
  text: words.operator.allowed(textIn(words, allowed)),
});

export const allAllowedIn = (words: Words, problems: readonly InputProblem[]): string =>
  problems.map(({ field, allowed }) => words.operator.fieldAllowed(field, textIn(words, allowed))).join(' ');

/** What a command says of a field; of one in a list, next to the list. */
export const problemIn = (words: Words, { field, message }: FieldProblem) => ({
  field: field.replace(/\[\d+\]$/, ''),
  text: words.operator.fieldProblem(textIn(words, message)),
});

const sentence = (text: string): string => `${capitalized(text)}.`.replace(/\.\.$/, '.');

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A sentence whose marked names stand for these parts. */
export const withParts = (text: string, parts: Readonly<Record<string, Part>>): Html =>
  markup`${sentenceOf(text).map(({ kind, text: part }) => (kind === 'name' ? (parts[part] ?? part) : part))}`;
