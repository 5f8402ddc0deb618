/** A piece of a sentence; the template writes code in its own face. */
export type Piece = { readonly code: boolean; readonly text: string };

/** Paragraphs of a description, with what stands in backticks told apart. */
export const paragraphsOf = (text: string): readonly (readonly Piece[])[] =>
  text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map(piecesOf);

export const piecesOf = (text: string): readonly Piece[] =>
  text
    .split('`')
    .map((part, index) => ({ code: index % 2 === 1, text: part }))
    .filter((piece) => piece.text !== '');
