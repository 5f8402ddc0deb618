import type { StreamName } from '../domain/streams.ts';
import type { Services } from './task.ts';

/** The revision of a stream, by its newest event alone; null for one without events. */
export const newestIn = async (
  { store }: Pick<Services, 'store'>,
  stream: StreamName,
): Promise<bigint | null> => {
  const { revision } = await store.readBack(stream, 'end', 1);
  return typeof revision === 'bigint' ? revision : null;
};
