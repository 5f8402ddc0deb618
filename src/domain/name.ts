const maxLength = 100;

/** Nobody sees these, and they can make one name look like another: zero width, soft hyphens, fillers, changes of direction. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** As names are stored: Unicode normalization form C, without spaces at their ends (CL-08). */
export const normaliseName = (name: string): string => name.normalize('NFC').trim();

/**
 * What is wrong with the normalised name of an add-on, an organization, a person or a token, or null. It is shown to people
 * who decide by it, so it is one line in which every character can be seen, in the order in which it is stored (CL-08).
 */
export const nameProblem = (name: string): string | null => {
  if (name.trim() === '') return 'must not be empty';
  if (name !== normaliseName(name)) return 'must be in Unicode form NFC, without spaces at its ends';
  if (Array.from(name).length > maxLength) return `must have at most ${maxLength} characters`;
  if (unprintable.test(name)) return 'must be one line without control characters';
  const hidden = invisible.exec(name)?.[0];
  return hidden === undefined
    ? null
    : `must not hold invisible characters, joiners or marks that change the direction of writing: it holds ${codePoint(hidden)}`;
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Text for a page in which what a name may not hold can be seen: names that were stored before are shown, and deceive nobody. */
export const withInvisibleShown = (text: string): string =>
  text.replace(new RegExp(invisible, 'gu'), '\uFFFD');
