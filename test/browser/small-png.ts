import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * The same picture with a palette of at most 64 colours, a third as large. For screenshots of pages: the most frequent
 * colours stay as they are, and what is left, shades on the edge of a letter, takes the nearest of them.
 * @param png 8 bits a channel, RGB or RGBA without transparency, not interlaced, as browsers write it
 */
export const smallPng = (png: Buffer): Buffer => {
  const { width, height, channels, pixels } = decode(png);
  const colours = new Uint32Array(width * height);
  for (let index = 0; index < colours.length; index += 1)
    colours[index] = pixels.readUIntBE(index * channels, 3);
  const palette = mostFrequent(colours);
  const nearest = nearestIn(palette);
  const rows = Buffer.alloc((width + 1) * height); // each begins with filter 0
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = nearest(colours[y * width + x] ?? 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const entries = Buffer.from(palette.flatMap((colour) => channelsOf(colour)));
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', entries),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const channelsOf = (colour: number): readonly [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
];

const mostFrequent = (colours: Uint32Array): readonly number[] => {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 64)
    .map(([colour]) => colour);
};

const nearestIn = (palette: readonly number[]): ((colour: number) => number) => {
  const known = new Map(palette.map((colour, index) => [colour, index]));
  const distance = (a: number, b: number) => {
    const [[ar, ag, ab], [br, bg, bb]] = [channelsOf(a), channelsOf(b)];
    return (ar - br) ** 2 + (ag - bg) ** 2 + (ab - bb) ** 2;
  };
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    const distances = palette.map((other) => distance(colour, other));
    const index = distances.indexOf(Math.min(...distances));
    known.set(colour, index);
    return index;
  };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};

const decode = (png: Buffer) => {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const filtered = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[at - stride - channels] ?? 0);
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      const filter = filtered[y * (stride + 1)] ?? 0;
      pixels[at] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + (guesses[filter] ?? 0);
    }
  return { width, height, channels, pixels };
};

/** PNG (ISO/IEC 15948) §9.4: whichever of the three is closest to left + up - corner. */
const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
};
