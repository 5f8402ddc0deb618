import type { GrantBar } from '../../audit/timeline/timeline.ts';
import { makeReader, type Reader } from '../words/reader.ts';

/** The time range of a chart, in milliseconds since the Unix epoch. */
export type Span = { readonly from: number; readonly to: number };

/** Where a bar lies, in percent of the chart's width. */
export type Placed = {
  readonly left: number;
  readonly width: number;
  readonly beganBefore: boolean;
  readonly goesOn: boolean;
};

/** Leaves room on the right for the letter at a bar's end, on charts as narrow as a phone. */
const area = { left: 1, right: 90 } as const;

/** From the first issue to the last end, or to now while a grant is live; narrowed to the requested range. */
export const spanOf = (
  bars: readonly GrantBar[],
  { from, to, now }: { readonly from?: number; readonly to?: number; readonly now: number },
): Span => {
  const ends = bars.map(({ endedAt }) => (endedAt === null ? now : Date.parse(endedAt)));
  const earliest = Math.min(...bars.map(({ issuedAt }) => Date.parse(issuedAt)), now);
  const latest = bars.length === 0 ? now : Math.max(...ends);
  const begin = Math.max(from ?? earliest, earliest);
  const end = Math.min(to ?? latest, latest);
  return end > begin ? { from: begin, to: end } : { from: begin, to: begin + 1_000 };
};

const percent = (instant: number, { from, to }: Span): number => {
  const share = Math.min(1, Math.max(0, (instant - from) / (to - from)));
  return Math.round((area.left + share * (area.right - area.left)) * 100) / 100;
};

export const placed = ({ issuedAt, endedAt }: GrantBar, span: Span, now: number): Placed => {
  const issued = Date.parse(issuedAt);
  const ended = endedAt === null ? now : Date.parse(endedAt);
  const left = percent(issued, span);
  const width = Math.max(0, Math.round((percent(ended, span) - left) * 100) / 100);
  return { left, width, beganBefore: issued < span.from, goesOn: endedAt === null || ended > span.to };
};

export type Tick = {
  readonly at: number;
  /** Null where another label is too near. */
  readonly label: string | null;
  /** There is room for its label on phones, too. */
  readonly isMain: boolean;
};

const day = 86_400_000;
const month = 30 * day;
/** The distance of two ticks, and up to how many there are. */
const steps = [
  [3_600_000, 8],
  [6 * 3_600_000, 8],
  [day, 10],
  [7 * day, 60],
  [month, 60],
] as const;
const mostLabels = 6;

/** Hours, days, weeks, months or years of the reader's calendar on an axis, and the present where it is within. */
export const axisOf = (span: Span, now: number, reader: Reader = makeReader()) => {
  const { clockOf, startOf, dateOf, timeZone, words } = reader;
  const { locale } = words;
  const formats = { month: 'short', timeZone } as const;
  const days = new Intl.DateTimeFormat(locale, { ...formats, day: 'numeric' });
  const daysOfYears = new Intl.DateTimeFormat(locale, { ...formats, day: 'numeric', year: 'numeric' });
  const months = new Intl.DateTimeFormat(locale, { ...formats, year: 'numeric' });
  const [step] = steps.find(([each, most]) => (span.to - span.from) / each <= most) ?? [12 * month];
  const yearOf = (instant: number) => dateOf(instant).slice(0, 4);
  const labelOf = (instant: number): string => {
    if (step < day) return clockOf(instant);
    if (step >= month) return months.format(instant);
    return (yearOf(instant) === yearOf(now) ? days : daysOfYears).format(instant);
  };
  const found: number[] = [];
  for (let at = firstTick(span.from, step); at <= span.to; at = nextTick(at, step))
    found.push(step < day ? at : Math.max(span.from, startOf(new Date(at).toISOString().slice(0, 10))));
  if (found.length === 0) found.push(span.from);
  const present = now >= span.from && now <= span.to ? percent(now, span) : null;
  const every = Math.ceil(found.length / mostLabels);
  const ticks = found.map((instant, index): Tick => {
    const at = percent(instant, span);
    const isFar = (distance: number) => present === null || Math.abs(at - present) > distance;
    return {
      at,
      label: index % every === 0 && isFar(12) ? labelOf(instant) : null,
      isMain: index % (3 * every) === 0 && isFar(36),
    };
  });
  return { ticks, present };
};

/** Weeks begin on Mondays, and 1970 with a Thursday. */
const firstTick = (from: number, step: number): number => {
  const monday = step === 7 * day ? 4 * day : 0;
  if (step < month) return Math.ceil((from - monday) / step) * step + monday;
  const date = new Date(from);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

const nextTick = (at: number, step: number): number => {
  if (step < month) return at + step;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step / month);
};

/** Room for the letter at the end of a bar, in percent. */
const letter = 8;

/** As few rows as have room for all bars, each in the order of time. */
export const lanesOf = <Bar extends Pick<Placed, 'left' | 'width'>>(
  bars: readonly Bar[],
): readonly (readonly Bar[])[] => {
  const lanes: Bar[][] = [];
  for (const bar of bars.toSorted((a, b) => a.left - b.left)) {
    const free = lanes.find((lane) => lane.every(({ left, width }) => left + width + letter <= bar.left));
    if (free) free.push(bar);
    else lanes.push([bar]);
  }
  return lanes;
};
