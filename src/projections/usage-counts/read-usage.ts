import { statement } from '../../common/transaction.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import { countedSince } from '../kernel/counted-since.ts';
import { dayMs } from '../read-counts/list-read.ts';
import type { AddonUse } from './count-usage.ts';

type Count = { readonly name: string; readonly count: number };

export type UsageOfDay = {
  /** Its first moment, UTC, milliseconds since the Unix epoch. */
  readonly day: number;
  readonly tokens: number;
  readonly requests: readonly Count[];
  readonly refusals: readonly {
    readonly endpoint: string;
    readonly reason: string;
    readonly count: number;
    readonly lastAt: number;
    readonly lastRequestId: string;
  }[];
  readonly limits: readonly Count[];
};

export type Usage = {
  /** Nothing is known of before. */
  readonly since: number;
  /** The newest first, without days of no use. */
  readonly days: readonly UsageOfDay[];
};

export type ReadUsage = (addonId: string, days: number) => Promise<Usage>;

type Row = {
  readonly day: string;
  readonly kind: AddonUse['kind'];
  readonly name: string;
  readonly count: string;
  readonly lastAt: string;
  readonly requestId: string;
};

/** What an add-on did in the last days, today among them, as far as the instances have stored their counts. */
export const makeReadUsage =
  (reader: PipelinedReader, now: () => number): ReadUsage =>
  async (addonId, days) => {
    const today = now() - (now() % dayMs);
    const [[began], rows] = await Promise.all([
      reader.query<{ readonly at: string }>(countedSince, []),
      reader.query<Row>(usage, [addonId, today - (days - 1) * dayMs]),
    ]);
    const byDay = new Map<string, Row[]>();
    for (const row of rows) byDay.set(row.day, [...(byDay.get(row.day) ?? []), row]);
    return {
      since: Number(began?.at ?? now()),
      days: [...byDay].map(([day, ofDay]) => dayOf(Number(day), ofDay)),
    };
  };

const dayOf = (day: number, rows: readonly Row[]): UsageOfDay => {
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind);
  const counts = (kind: Row['kind']) => of(kind).map(({ name, count }) => ({ name, count: Number(count) }));
  return {
    day,
    tokens: counts('token').reduce((sum, { count }) => sum + count, 0),
    requests: counts('list'),
    refusals: of('refusal').map(({ name, count, lastAt, requestId }) => {
      const [endpoint = '', reason = ''] = name.split(' ');
      return { endpoint, reason, count: Number(count), lastAt: Number(lastAt), lastRequestId: requestId };
    }),
    limits: counts('limit'),
  };
};

const usage = statement('addon-usage')`
  select day, kind, name, count, last_at as "lastAt", request_id as "requestId" from addon_usage
  where addon_id = $1 and day >= $2 order by day desc, kind, name`;
