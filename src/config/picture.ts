import { readFileSync } from 'node:fs';

/** A picture that pages contain; `data` is in base64. */
export type Picture = { readonly mediaType: string; readonly data: string };

/** Its size is in any unit. */
export type SizedPicture = Picture & { readonly width: number; readonly height: number };

export const pictureRule = (bytes: number): string =>
  `the path of a PNG, JPEG or WebP file of at most ${bytes / 1000} kB, relative to the file of the setting`;

export const bytesOf = (path: string): { readonly bytes: Buffer } | { readonly code: string } => {
  try {
    return { bytes: readFileSync(path) };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
};

type Found = SizedPicture | { readonly problem: string };

/** A picture by its content, checked; what is wrong names no path. None that could run or load something, as SVG can. */
export const pictureOf = (path: string, mostBytes: number): Found => {
  const content = bytesOf(path);
  if ('code' in content) return { problem: `cannot be read (${content.code})` };
  const { bytes } = content;
  if (bytes.length > mostBytes) return { problem: `has ${bytes.length} bytes` };
  const kind = kinds.find(({ begins }) => begins.test(bytes.toString('latin1', 0, 16)));
  if (!kind) return { problem: 'is neither PNG, JPEG nor WebP' };
  const { width = 0, height = 0 } = bytes.length < 30 ? {} : (kind.sizeOf(bytes) ?? {});
  if (width === 0 || height === 0) return { problem: 'has no size' };
  return { mediaType: kind.mediaType, data: bytes.toString('base64'), width, height };
};

type Size = { readonly width: number; readonly height: number };
type Kind = {
  readonly mediaType: string;
  readonly begins: RegExp;
  /** Of at least 30 bytes. */
  readonly sizeOf: (bytes: Buffer) => Size | null;
};

/** At the beginning of the first chunk, IHDR (PNG §11.2.1). */
const pngSize = (bytes: Buffer): Size => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

/** In the first segment that begins a frame (ITU-T T.81 §B.2.2). */
const jpegSize = (bytes: Buffer): Size | null => {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
};

/** In the first chunk: of a lossy, a lossless or an extended file (RFC 9649 §2.5 to §2.7). */
const webpSize = (bytes: Buffer): Size | null => {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk !== 'VP8L') return null;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
};

const kinds: readonly Kind[] = [
  { mediaType: 'image/png', begins: /^\x89PNG\r\n.\n/s, sizeOf: pngSize },
  { mediaType: 'image/jpeg', begins: /^\xff\xd8\xff/, sizeOf: jpegSize },
  { mediaType: 'image/webp', begins: /^RIFF[^]{4}WEBP/, sizeOf: webpSize },
];
