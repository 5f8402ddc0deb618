import { askedWordsOf, folded, storedWordsOf } from '../../domain/kernel/name.ts';

/** As many words of a search as count; the rest is ignored. */
const mostWords = 8;

/** Longer than every name and address; Postgres takes no more than 2 kB. In characters. */
const longestWord = 254;

/** The words of a name in Postgres' own notation of an array, because `unnest` would flatten an array of arrays. */
export const wordsIn = (name: string): string =>
  `{${storedWordsOf(name)
    .map((word) => `"${word}"`)
    .join(',')}}`;

const startOf = (text: string): string =>
  `'${text.slice(0, longestWord).replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`;

const startsOfEach = (words: ReturnType<typeof askedWordsOf>): string =>
  words.map((spellings) => `(${spellings.map(startOf).join(' | ')})`).join(' & ');

/** A `tsquery` for words that start with each word of a search, quoted letters and digits; null without a word. */
export const startsOf = (search: string): string | null =>
  startsOfEach(askedWordsOf(search).slice(0, mostWords)) || null;

/** The same for people, who are found by parts of addresses, too (FX-66): what has an `@` is one. */
export const startsOfPeople = (search: string): string | null =>
  search
    .split(/[\s\p{Cc}\p{Cs}]+/u)
    .filter((text) => folded(text) !== '')
    .slice(0, mostWords)
    .map((text) => {
      const whole = startOf(folded(text));
      const words = text.includes('@') ? '' : startsOfEach(askedWordsOf(text).slice(0, mostWords));
      return words.includes(whole) ? words : `(${words === '' ? '' : `${words} | `}${whole})`;
    })
    .join(' & ') || null;

/** What is searched among people; the index accounts_by_words has it. */
export const wordsOfPeople = '(array_to_tsvector(name_words) || array_to_tsvector(address_words))';
