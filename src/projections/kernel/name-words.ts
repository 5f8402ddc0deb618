import { searchWordsOf } from '../../domain/kernel/name.ts';

/** As many words of a search as count; the rest is ignored. */
const mostWords = 8;

/** The words of a name in Postgres' own notation of an array, because `unnest` would flatten an array of arrays. */
export const wordsIn = (name: string): string =>
  `{${searchWordsOf(name)
    .map((word) => `"${word}"`)
    .join(',')}}`;

/** A `tsquery` for words that start with each word of a search, unquoted letters and digits; null without a word. */
export const startsOf = (search: string): string | null =>
  searchWordsOf(search)
    .slice(0, mostWords)
    .map((word) => `'${word}':*`)
    .join(' & ') || null;
