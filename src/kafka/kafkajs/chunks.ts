import type { MessageToPublish } from '../kafka-client.ts';

/**
 * Splits messages, in order, into requests of at most `maxBytes`, so that no partition's part of a request exceeds the
 * broker's limit. A message that is larger gets a request of its own.
 */
export const chunksOf = (
  messages: readonly MessageToPublish[],
  maxBytes: number,
): readonly (readonly MessageToPublish[])[] => {
  const chunks: MessageToPublish[][] = [];
  let left = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    const last = chunks.at(-1);
    if (last && size <= left) {
      last.push(message);
      left -= size;
    } else {
      chunks.push([message]);
      left = maxBytes - size;
    }
  }
  return chunks;
};

/** An upper estimate of its size in a record batch: it counts four bytes for each length, more than the format uses. */
export const sizeOf = ({ key, value, headers }: MessageToPublish): number => {
  let size = 32 + bytes(key) + bytes(value);
  for (const [name, values] of Object.entries(headers)) {
    for (const one of Array.isArray(values) ? values : [values])
      size += 8 + bytes(name) + bytes(one as Value);
  }
  return size;
};

type Value = string | Buffer | null;

const bytes = (value: Value): number => (value === null ? 0 : Buffer.byteLength(value));
