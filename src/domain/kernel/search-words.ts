/** Marks above and below letters, after they were split off (Unicode form NFKD). */
const marks = /\p{M}/gu;
const word = /[\p{L}\p{N}]+/gu;

/** The words of a name or search as stored: without case, accents and punctuation (`cafe`, `zurich`, `west`). A change needs a rebuild. */
export const searchWordsOf = (text: string): readonly string[] =>
  text.normalize('NFKD').replace(marks, '').toLowerCase().match(word) ?? [];
