import { statement } from '../../common/transaction.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { countedSince } from '../kernel/counted-since.ts';
import { lastReadOf } from './last-used.ts';
import { dayMs, hourMs, listOfNumber, noGrant, otherNetworks, type ReadList } from './list-read.ts';

/** The reads of a list with a grant within one hour. Instants are milliseconds since the Unix epoch. */
export type HourOfReads = {
  readonly grantId: string;
  readonly list: ReadList;
  readonly pages: number;
  /** Records in these pages, each counted as often as it was answered. */
  readonly records: number;
  /** IPv4 as /24 and IPv6 as /48; `others` stands for all networks above the limit. Empty after an erasure. */
  readonly networks: readonly string[];
  /** The first read of the hour, */
  readonly from: number;
  /** and the last, in whole seconds. */
  readonly until: number;
};

type Window = { readonly from: number; readonly to: number };
type Part = { readonly skip?: number; readonly limit?: number };
type PageOfReads = { readonly reads: readonly HourOfReads[]; readonly inAll: number };

export type ListReads = {
  /** When each grant was last used to read a list; grants without a known read are left out. */
  readonly lastReads: (grantIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The reads with these grants in a window of time, both ends inclusive; by day, grant and list. */
  readonly readsOf: (grantIds: readonly string[], window: Window & Part) => Promise<PageOfReads>;
  /** Pages of all grants together that were counted without their grant. */
  readonly unattributedPages: (window: Window) => Promise<number>;
  /** Since when this database counts reads: earlier reads are not known. */
  readonly countedSince: () => Promise<number>;
};

/** @param days how many days are kept */
export const makeListReads = (
  reader: PipelinedReader,
  { now, days }: { readonly now: () => number; readonly days: number },
): ListReads => {
  async function* hoursOf(grantIds: readonly string[], { from, to }: Window) {
    let after = { day: '-1', grantId: '', list: 0 };
    for (;;) {
      const values = [grantIds, from - (from % dayMs), to, after.day, after.grantId, after.list, rowsAtOnce];
      const rows = await reader.query<Row>(reads, values);
      yield* rows.flatMap(hoursIn).filter((hour) => hour.until >= from && hour.from <= to);
      after = rows.at(-1) ?? after;
      if (rows.length < rowsAtOnce) return;
    }
  }
  return {
    async lastReads(grantIds) {
      const rows = await reader.query<{ grantId: string; at: string }>(lastReads, [grantIds]);
      return new Map(rows.map(({ grantId, at }) => [grantId, Number(at)]));
    },
    async readsOf(grantIds, { skip = 0, limit = Infinity, ...window }) {
      const found: HourOfReads[] = [];
      let inAll = 0;
      for await (const hour of hoursOf(grantIds, window)) {
        if (inAll >= skip && found.length < limit) found.push(hour);
        inAll += 1;
      }
      return { reads: found, inAll };
    },
    async unattributedPages(window) {
      let sum = 0;
      for await (const { pages } of hoursOf([noGrant], window)) sum += pages;
      return sum;
    },
    async countedSince() {
      const [row] = await reader.query<{ at: string }>(countedSince, []);
      return Math.max(Number(row?.at ?? now()), now() - days * dayMs);
    },
  };
};

/** Each has up to 24 hours. */
const rowsAtOnce = 1000;

type Row = {
  readonly grantId: string;
  readonly day: string;
  readonly list: number;
  /** Index of the first of `counts`. */
  readonly first: number;
  readonly counts: readonly (number | null)[];
  readonly networks: readonly string[];
  readonly networkHours: readonly number[];
};

const hoursIn = ({
  grantId,
  day,
  list,
  first,
  counts,
  networks,
  networkHours,
}: Row): readonly HourOfReads[] => {
  const name = listOfNumber(list);
  if (name === null) return []; // of a newer version
  return Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour): readonly HourOfReads[] => {
    const at = 4 * hour - first;
    const [pages, records, begin, end] = at < 0 ? [] : counts.slice(at, at + 4);
    if (!pages) return [];
    const start = Number(day) + hour * hourMs;
    return [
      {
        grantId,
        list: name,
        pages,
        records: records ?? 0,
        networks: networks
          .filter((_network, index) => ((networkHours[index] ?? 0) >> hour) & 1)
          .map((network) => (network === otherNetworks ? 'others' : network)),
        from: start + (begin ?? 0) * 1000,
        until: start + (end ?? 0) * 1000,
      },
    ];
  });
};

const reads = statement('list-reads')`
  select grant_id as "grantId", day, list, array_lower(counts, 1) as first, counts,
         networks::text[] as networks, network_hours as "networkHours"
  from list_reads
  where grant_id = any($1) and day between $2 and $3 and (day, grant_id, list) > ($4, $5, $6)
  order by day, grant_id, list limit $7`;

/** Only the newest day of each grant, by the key. */
const lastReads = statement('last-list-reads')`
  select * from (select asked.grant_id as "grantId", ${lastReadOf('asked.grant_id')} as at
  from unnest($1::text[]) as asked (grant_id)) as known where at is not null`;
