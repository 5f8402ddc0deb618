import type { Commits } from './commits.ts';
import type { TakeFault, WhenDenied } from './faults.ts';
import type { Head, Heads } from './heads.ts';
import type { Log } from './log.ts';
import { baseOf } from './record.ts';
import { ticksNow } from './stamp.ts';

/** Dependencies of all kinds of reads. */
export type ReadDependencies = {
  readonly log: Log;
  readonly heads: Heads;
  readonly commits: Commits;
  readonly take: TakeFault;
  readonly whenDenied: WhenDenied;
};

export const headFor = async ({ heads }: ReadDependencies, stream: string): Promise<Head> => {
  for (;;) {
    await heads.load([baseOf(stream)]);
    const head = heads.get(baseOf(stream));
    if (head) return head;
  }
};

/** Ticks before which `$maxAge` hides events. */
export const visibleSince = ({ limits }: Head): bigint =>
  limits.maxAgeSeconds === undefined ? 0n : max(0n, ticksNow() - limits.maxAgeSeconds * 10_000_000n);

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
