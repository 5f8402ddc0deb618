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

/** The words of a name or search as stored: without case, accents and punctuation (`cafe`, `zurich`, `west`). A change needs a rebuild. */
export const searchWordsOf = (text: string): readonly string[] =>
  text.normalize('NFKD').replace(marks, '').toLowerCase().match(word) ?? [];
