import { isUlid } from '../../domain/kernel/ids.ts';

/** Longer than any credential: ids are at most 255 bytes, and there are at most five. */
const capacity = 2048;

/** Writes the body of a credential: integers big-endian, ids in a short form. */
export const byteWriter = () => {
  const buffer = Buffer.allocUnsafe(capacity);
  let at = 0;
  return {
    byte: (value: number) => void (at = buffer.writeUInt8(value, at)),
    /** Unsigned, 32 bits. */
    uint32: (value: number) => void (at = buffer.writeUInt32BE(value, at)),
    /** Milliseconds since the Unix epoch, 48 bits. */
    instant: (value: number) => void (at = buffer.writeUIntBE(value, at, 6)),
    id: (value: string) => void (at = writeId(buffer, at, value)),
    bytes: (value: Uint8Array) => {
      buffer.set(value, at);
      at += value.byteLength;
    },
    /** What has been written so far; a view, valid until the next write. */
    written: () => buffer.subarray(0, at),
  };
};

export type ByteWriter = ReturnType<typeof byteWriter>;

/** Reads what the writer wrote, in the same order. Only for bytes whose tag was verified. */
export const byteReader = (buffer: Buffer) => {
  let at = 0;
  const bytes = (length: number) => buffer.subarray(at, (at += length));
  return {
    byte: () => buffer.readUInt8(at++),
    uint32: () => bytes(4).readUInt32BE(),
    instant: () => bytes(6).readUIntBE(0, 6),
    id: () => {
      const length = buffer.readUInt8(at++);
      return length === 0 ? readUlid(bytes(16)) : bytes(length).toString('utf8');
    },
    bytes,
  };
};

export type ByteReader = ReturnType<typeof byteReader>;

/** Our own ids are ULIDs and take 16 bytes after a zero; any other id is its length and its bytes. */
const writeId = (buffer: Buffer, at: number, id: string): number => {
  if (isUlid(id)) {
    buffer[at] = 0;
    writeUlid(buffer, at + 1, id);
    return at + 17;
  }
  const length = Buffer.byteLength(id);
  if (length === 0 || length > 255) throw new RangeError('an id in a credential has 1 to 255 bytes');
  buffer[at] = length;
  buffer.write(id, at + 1, 'utf8');
  return at + 1 + length;
};

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const crockfordValues = new Uint8Array(128);
for (let value = 0; value < crockford.length; value += 1)
  crockfordValues[crockford.charCodeAt(value)] = value;

/** 26 characters of 5 bits, the first of 3: 128 bits. */
const writeUlid = (buffer: Buffer, start: number, ulid: string): void => {
  let at = start;
  let pending = 0;
  let bits = -2;
  for (let index = 0; index < 26; index += 1) {
    pending = (pending << 5) | (crockfordValues[ulid.charCodeAt(index)] ?? 0);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    buffer[at++] = pending >> bits;
    pending &= (1 << bits) - 1;
  }
};

const readUlid = (bytes: Buffer): string => {
  let ulid = '';
  let pending = 0;
  let bits = 2;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5;) {
      bits -= 5;
      ulid += crockford[pending >> bits];
      pending &= (1 << bits) - 1;
    }
  }
  return ulid;
};
