/** A sentence in parts: names apart from the words around them, so that a page can isolate each (CL-08). */
export type Sentence = readonly { readonly kind: 'words' | 'name'; readonly text: string }[];

/** Noncharacters, which no text holds that comes from outside: Unicode keeps them for use within a program. */
const [begin, end] = ['\uFDD0', '\uFDD1'];
const marks = new RegExp(`[${begin}${end}]`, 'g');

/** A name as a part of a sentence that is still to be put together. */
export const markName = (name: string): string => begin + name.replace(marks, '\uFFFD') + end;

/** Takes a sentence apart at the names that were marked. */
export const sentenceOf = (marked: string): Sentence =>
  marked.split(marks).flatMap((text, index) => {
    const kind = index % 2 === 1 ? 'name' : 'words';
    return text === '' ? [] : [{ kind, text } as const];
  });

export const textOf = (sentence: Sentence): string => sentence.map(({ text }) => text).join('');
