import { eachRecord } from '../../domain/records/each-record.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';

/** The lists whose reads are counted, by their numbers in the table: never renumber. */
export const readLists = eachRecord('path', ({ readsNumber }): number => readsNumber);

/** A list, by the name in its path. */
export type ReadList = RecordResource['path'];

export const listOfNumber = (number: number): ReadList | null =>
  (Object.keys(readLists) as ReadList[]).find((name) => readLists[name] === number) ?? null;

export type ListRead = {
  readonly grantId: string;
  readonly userId: string;
  readonly list: ReadList;
  readonly records: number;
  /** The client's address, as text. */
  readonly address: string;
};

/** Stands in for the grant of reads that were counted without it, because the capacity was used up. */
export const noGrant = '';

/** Stands for all networks above the limit. */
export const otherNetworks = '0.0.0.0/0';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
