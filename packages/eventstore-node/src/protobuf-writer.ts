/**
 * Writes protobuf from the last byte to the first, into a buffer that must be large enough: so the length of each
 * message is known when its prefix is written.
 */
export const backwards = (size: number) => {
  const buffer = Buffer.allocUnsafe(size);
  let at = size;
  const small = (value: number): void => {
    at -= varintLength(value);
    let index = at;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) buffer[index++] = (rest % 128) | 128;
    buffer[index] = rest;
  };
  const varint = (value: bigint): void => {
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return small(Number(value));
    const bytes: number[] = [];
    for (let rest = value; rest > 0n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push((bytes.pop() ?? 0) & 127);
    at -= bytes.length;
    buffer.set(bytes, at);
  };
  const raw = (bytes: Uint8Array): void => {
    at -= bytes.length;
    buffer.set(bytes, at);
  };
  return {
    place: () => at,
    raw,
    number: (field: number, value: bigint): void => {
      varint(value);
      buffer[--at] = field;
    },
    bytes: (field: number, bytes: Uint8Array): void => {
      raw(bytes);
      small(bytes.length);
      buffer[--at] = field;
    },
    text: (field: number, value: string): void => {
      const length = Buffer.byteLength(value);
      at -= length;
      buffer.write(value, at, length);
      small(length);
      buffer[--at] = field;
    },
    /** Ends a message that began when the buffer was at `end`. */
    message: (field: number, end: number): void => {
      small(end - at);
      buffer[--at] = field;
    },
    result: (): Buffer => buffer.subarray(at),
  };
};
const varintLength = (value: number): number => {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length += 1;
  return length;
};
export type Backwards = ReturnType<typeof backwards>;
