import type { Decode } from '../../src/audit/read-events.ts';
import { codec } from '../../src/eventstore/codec/codec.ts';

/** Decodes as the program does, with nothing sealed. */
export const decodeStored: Decode = (stored) =>
  Promise.resolve().then(() =>
    codec.decode({ ...stored, streamId: stored.stream, created: new Date(stored.created) }),
  );
