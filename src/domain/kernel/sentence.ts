/** A sentence in parts: names are separate from the words around them, so that a page can isolate each (CL-08). */
export type Sentence = readonly { readonly kind: 'words' | 'name'; readonly text: string }[];

/** Noncharacters, which no text from outside contains: Unicode reserves them for use within a program. */
const [begin, end] = ['\uFDD0', '\uFDD1'];
const marks = new RegExp(`[${begin}${end}]`, 'g');

/** Marks a name within a sentence that is still to be composed. */
export const markName = (name: string): string => begin + name.replace(marks, '\uFFFD') + end;

export const sentenceOf = (marked: string): Sentence =>
  marked.split(marks).flatMap((text, index) => {
    const kind = index % 2 === 1 ? 'name' : 'words';
    return text === '' ? [] : [{ kind, text } as const];
  });

export const textOf = (sentence: Sentence): string => sentence.map(({ text }) => text).join('');
