/** Percent-encodings in upper case, and none of characters that need none (RFC 3986 §6.2.2.1, §6.2.2.2). */
export const normalEncoding = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });

/** The one spelling of a URL (RFC 3986 §6.2.2, §6.2.3), without slashes at the end. What is no URL stays as it is. */
export const normalUrl = (text: string): string =>
  URL.canParse(text) ? withoutSlashes(new URL(normalEncoding(text)).href) : text;

/** Not by an expression, which would try each of many slashes elsewhere as the first one at the end: anybody may send a URL. */
const withoutSlashes = (text: string): string => {
  let { length } = text;
  while (text[length - 1] === '/') length -= 1;
  return text.slice(0, length);
};
