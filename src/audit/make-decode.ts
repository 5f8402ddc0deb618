import { codec } from '../eventstore/codec/codec.ts';
import type { PersonalData } from '../eventstore/codec/personal-data.ts';
import type { Decode } from './read-events.ts';

/** @param personal decrypts the fields whose key still exists; the others read `erased` */
export const makeDecode =
  (personal: Pick<PersonalData, 'decrypt'>): Decode =>
  async (stored) => {
    const [opened] = await personal.decrypt([stored]);
    const { stream: streamId, created } = stored;
    return codec.decode({
      ...stored,
      data: opened?.data,
      metadata: opened?.metadata,
      streamId,
      created: new Date(created),
    });
  };
