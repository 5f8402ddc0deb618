/** Marks above and below letters, after they were split off (Unicode form NFKD). */
const marks = /\p{M}/gu;
const word = /[\p{L}\p{N}]+/gu;

/**
 * The words of a name or of a search, as they are stored and compared: without case, accents and punctuation. "Café
 * Zürich-West" has the words `cafe`, `zurich` and `west`. Stored words must stay as they are, so a change needs a rebuild
 * of the read models that keep them.
 */
export const searchWordsOf = (text: string): readonly string[] =>
  text.normalize('NFKD').replace(marks, '').toLowerCase().match(word) ?? [];
