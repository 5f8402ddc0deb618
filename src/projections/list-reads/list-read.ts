import { eachRecord } from '../../domain/each-record.ts';
import type { RecordResource } from '../../domain/record-resources.ts';

/** The lists whose reads are counted, by the numbers that the table keeps: never renumber. */
export const readLists = eachRecord('path', ({ readsNumber }): number => readsNumber);

/** A list, by the name in its path. */
export type ReadList = RecordResource['path'];

export const listOfNumber = (number: number): ReadList | null =>
  (Object.keys(readLists) as ReadList[]).find((name) => readLists[name] === number) ?? null;

/** One page that was answered. */
export type ListRead = {
  readonly grantId: string;
  /** Who allowed the grant. */
  readonly userId: string;
  readonly list: ReadList;
  /** That were in the answer. */
  readonly records: number;
  /** The address that it went to, as text. */
  readonly address: string;
};

/** The grant of reads that there was no room to tell apart. */
export const noGrant = '';

/** Stands for networks beyond those that are told apart. */
export const otherNetworks = '0.0.0.0/0';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
