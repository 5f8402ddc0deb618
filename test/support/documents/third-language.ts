import { english, type Words } from '../../../src/common/words.ts';

/** Each text in brackets: what a page shows outside of them is not from the catalogue. */
const marked = <T>(value: T): T => {
  if (typeof value === 'string') return `⟦${value}⟧` as T;
  if (Array.isArray(value)) return value.map(marked) as T;
  if (typeof value === 'function')
    return Object.assign((...given: readonly unknown[]) => `⟦${String(value(...given))}⟧`, value) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, marked(inner)])) as T;
};
/** A third language, made up: one object. */
export const third: Words = { ...marked(english), tag: 'x-marked', locale: 'en-GB' };

/** The texts of a page that are not from the catalogue. */
export const outsideOf = (html: string): readonly string[] => {
  let text = html
    .replace(/^[^]*<main[^>]*>/, '')
    .replace(/<\/main>[^]*/, '')
    .replace(/<bdi[^>]*>[^<]*<\/bdi>|<p class="parties"[^]*?<\/p>|<(time|code|option)[^>]*>[^<]*<\/\1>/g, '')
    .replace(/<[^>]+>/g, '\n');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/⟦[^⟦⟧]*⟧/g, '');
  }
  return text.match(/\p{L}[^\n]*/gu) ?? [];
};
