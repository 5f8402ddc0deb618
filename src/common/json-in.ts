/** What a text says in JSON; undefined for one that is none. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return undefined;
  }
};

/** Editors of Windows put a byte order mark before a text. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');
