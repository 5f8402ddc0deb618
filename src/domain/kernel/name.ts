import { english } from '../../common/words.ts';

/** In characters (code points). */
export const longestName = 100;

/** Invisible characters that make names look alike: zero width, soft hyphens, fillers, changes of direction. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The stored form of names: Unicode normalization form C, trimmed (CL-08). */
export const normaliseName = (name: string): string => name.normalize('NFC').trim();

/**
 * What is wrong with the normalised name of an add-on, an organization, a person or a token, or null. People see it and
 * decide by it, so it is one line in which every character is visible, in the order in which it is stored (CL-08).
 */
export const nameProblem = (name: string, atMost = longestName): string | null => {
  if (name.trim() === '') return english.problems.empty;
  if (name !== normaliseName(name)) return english.problems.unicode;
  if (Array.from(name).length > atMost) return english.problems.tooLong(atMost);
  if (unprintable.test(name)) return english.problems.oneLine;
  return hiddenProblem(name);
};

/** Null if every character of it can be seen. */
export const hiddenProblem = (text: string): string | null => {
  const hidden = invisible.exec(text)?.[0];
  return hidden === undefined ? null : english.problems.invisible(codePoint(hidden));
};

/** Whether it may be taken for an e-mail address, in any width of letters. */
export const looksLikeAddress = (text: string): boolean => text.normalize('NFKC').includes('@');

/** The same of a person: by an address others decide who it is, and nobody vouches for a name (FX-85). */
export const personNameProblem = (name: string): string | null =>
  nameProblem(name) ?? (looksLikeAddress(name) ? english.problems.noAt : null);

/** The nearest name of a person, from another system; null also for what looks like an address. */
export const nearestPersonName = (name: string): string | null => {
  const nearest = nearestName(name);
  return nearest === null || looksLikeAddress(nearest) ? null : nearest;
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Makes visible what names may not contain, in texts that others have made: they deceive nobody. */
export const withInvisibleShown = (text: string): string =>
  text.replace(new RegExp(invisible, 'gu'), '\uFFFD');

/** The nearest name that `nameProblem` accepts, for names from another system; null when nothing is left of it. */
export const nearestName = (name: string): string | null => {
  const visible = name
    .normalize('NFC')
    .replace(new RegExp(unprintable, 'gu'), ' ')
    .replace(new RegExp(invisible, 'gu'), '');
  const short = normaliseName(Array.from(visible.trim()).slice(0, longestName).join(''));
  return nameProblem(short) === null ? short : null;
};

/** Marks above and below letters, after they were split off (Unicode form NFKD). */
const marks = /\p{M}/gu;
const word = /[\p{L}\p{N}]+/gu;

/** Letters without a mark that could be split off, and those that are typed as two where a keyboard lacks them. */
const letters = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i' };
const typed = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

const replaced = (text: string, by: Readonly<Record<string, string>>): string =>
  text.replace(/[^\0-\x7f]/gu, (letter) => by[letter] ?? letter);

/** Without case and accents: `strasse`, `zurich`. Stored: a change needs a rebuild. */
export const folded = (text: string): string =>
  replaced(text.normalize('NFKD').replace(marks, '').toLowerCase(), letters);

/** The words of a name or search, without punctuation, and the same with `ue` for `ü`. */
export const searchWordsOf = (text: string): readonly string[] => folded(text).match(word) ?? [];
const typedWordsOf = (text: string): readonly string[] =>
  searchWordsOf(replaced(text.normalize('NFKC').toLowerCase(), typed));

/** The words of a name in each spelling. By those before the `!`, which comes before every letter, lists are sorted. */
export const storedWordsOf = (name: string): readonly string[] => {
  const words = searchWordsOf(name);
  const others = typedWordsOf(name).filter((other) => !words.includes(other));
  return others.length === 0 ? words : [...words, '!', ...others];
};

/** The words of a search, each in the spellings that it may have. */
export const askedWordsOf = (search: string): readonly (readonly string[])[] => {
  const others = typedWordsOf(search);
  return searchWordsOf(search).map((one, place) => [...new Set([one, others[place] ?? one])]);
};

/** Whether words of the name start with each word of the search, as in lists that the database searches. */
export const isFoundBy = (name: string, search: string): boolean => {
  const words = storedWordsOf(name);
  return askedWordsOf(search).every((spellings) =>
    words.some((stored) => spellings.some((asked) => stored.startsWith(asked))),
  );
};
