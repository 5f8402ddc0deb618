/** Part of a sentence; the template sets code in a monospaced font. */
export type Piece = { readonly code: boolean; readonly text: string };

/** Splits a description into text and code in backticks. */
export const piecesOf = (text: string): readonly Piece[] =>
  text
    .split('`')
    .map((part, index) => ({ code: index % 2 === 1, text: part }))
    .filter((piece) => piece.text !== '');
