import { sentenceOf, type Sentence } from '../../domain/kernel/sentence.ts';
import { withInvisibleShown } from '../../domain/kernel/name.ts';

/** Markup, which is not escaped again. Only `markup` makes it. */
export type Html = { readonly html: string };

export type Part = Html | string | number | null | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes HTML, and makes invisible characters visible, so that no value can change the writing direction or hide text (CL-08). */
export const escaped = (value: unknown): string =>
  withInvisibleShown(String(value)).replace(/[&<>"']/g, (character) => entities[character] ?? '');

const markupOf = (part: Part): string => {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(part);
  return 'html' in part ? part.html : part.map(markupOf).join('');
};

/** Markup with values in it: every text is escaped, a list is joined, and what is missing is left out. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, index) => text + (index < parts.length ? markupOf(parts[index]) : '')).join(''),
});

/** Of templates that escape by themselves, and of constants. */
export const trusted = (text: string): Html => ({ html: text });

const isolated = (name: string): Html => markup`<bdi>${name}</bdi>`;

type As = (text: string) => Part;
const asItIs: As = (text) => text;

/** Each name is bidi-isolated, so that it cannot reorder the words around it (CL-08). */
export const sentenceHtml = (sentence: Sentence, nameAs: As = isolated, wordsAs: As = asItIs): Html =>
  markup`${sentence.map(({ kind, text }) => (kind === 'name' ? nameAs(text) : wordsAs(text)))}`;

/** A text of the catalogue, with the names that are marked in it isolated, or as `nameAs` makes them. */
export const say = (text: string, nameAs?: As): Html => sentenceHtml(sentenceOf(text), nameAs);

/** The same with the names in bold. */
export const stress = (text: string): Html => say(text, (name) => markup`<strong>${isolated(name)}</strong>`);

/** Noncharacters, as those that mark names. */
const slots = /\uFDD2(\d+)\uFDD3/;

/** The same of a text of the catalogue with markup in it, such as links and times: `slot` marks where each part goes. */
export const filled = (make: (slot: (part: Html) => string) => string): Html => {
  const parts: Html[] = [];
  const sentence = sentenceOf(make((part) => `\uFDD2${parts.push(part) - 1}\uFDD3`));
  return sentenceHtml(sentence, isolated, (text) =>
    text.split(slots).map((piece, index) => (index % 2 === 1 ? parts[Number(piece)] : piece)),
  );
};
