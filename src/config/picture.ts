import { readFileSync } from 'node:fs';

/** A picture that pages contain; `data` is in base64. */
export type Picture = { readonly mediaType: string; readonly data: string };

/** Its size is in any unit. */
export type SizedPicture = Picture & { readonly width: number; readonly height: number };

export const pictureRule = (bytes: number): string =>
  `the path of a PNG or SVG file of at most ${bytes / 1000} kB, relative to the file of the setting; an SVG without scripts, styles from outside and references`;

export const bytesOf = (path: string): { readonly bytes: Buffer } | { readonly code: string } => {
  try {
    return { bytes: readFileSync(path) };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
};

type Found = SizedPicture | { readonly problem: string };

/** A PNG or SVG file, checked; what is wrong names no path. */
export const pictureOf = (path: string, mostBytes: number): Found => {
  const content = bytesOf(path);
  if ('code' in content) return { problem: `cannot be read (${content.code})` };
  const { bytes } = content;
  if (bytes.length > mostBytes) return { problem: `has ${bytes.length} bytes` };
  return pngOf(bytes) ?? svgOf(bytes);
};

/** The size is at the beginning of the first chunk, IHDR (PNG §11.2.1). */
const pngOf = (bytes: Buffer): Found | null => {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0) return { problem: 'has no size' };
  return { mediaType: 'image/png', data: bytes.toString('base64'), width, height };
};

/** As a picture no script of it could run; it is refused all the same, as is what could load something. */
const svgOf = (bytes: Buffer): Found => {
  const text = bytes.toString('utf8');
  const [, attributes] = /<svg\b([^>]*)>/i.exec(text) ?? [];
  if (attributes === undefined) return { problem: 'is neither PNG nor SVG' };
  if (/<(?:[\w-]+:)?(?:script|foreignObject|iframe|handler)\b|\son[a-z]+\s*=|javascript:/i.test(text))
    return { problem: 'is an SVG with a script' };
  if (
    /<!(?:DOCTYPE|ENTITY)|<\?xml-stylesheet|@import|(?:href|src)\s*=\s*["']?(?!["']?#)|url\(\s*(?!["']?#)/i.test(
      text,
    )
  )
    return { problem: 'is an SVG with a reference to something outside' };
  const numbers = (name: string) =>
    new RegExp(`\\b${name}\\s*=\\s*["']([^"']+)["']`).exec(attributes)?.[1] ?? '';
  const [, , boxWidth, boxHeight] = numbers('viewBox')
    .split(/[\s,]+/)
    .map(Number);
  const width = boxWidth ?? Number.parseFloat(numbers('width'));
  const height = boxHeight ?? Number.parseFloat(numbers('height'));
  if (!(width > 0 && height > 0))
    return { problem: 'is an SVG without viewBox, and without width and height' };
  return { mediaType: 'image/svg+xml', data: bytes.toString('base64'), width, height };
};
