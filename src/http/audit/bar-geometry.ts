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

export type Tick = { readonly at: number; readonly label: string };

const day = 86_400_000;
const month = 30 * day;
/** The distance of two ticks: more than six labels do not fit on a phone. */
const steps = [3_600_000, 6 * 3_600_000, day, 7 * day, month, 3 * month, 12 * month];
const most = 5;

/** Hours of the reader's time zone, days or months of UTC on an axis, and the present where it is within. */
export const axisOf = (span: Span, now: number, { clockOf, words: { locale } }: Reader = makeReader()) => {
  const formats = { month: 'short', timeZone: 'UTC' } as const;
  const days = new Intl.DateTimeFormat(locale, { ...formats, day: 'numeric' });
  const months = new Intl.DateTimeFormat(locale, { ...formats, year: '2-digit' });
  const step = steps.find((each) => (span.to - span.from) / each <= most) ?? 12 * month;
  const labelOf = (instant: number): string => {
    if (step < day) return clockOf(instant);
    return (step < month ? days : months).format(instant);
  };
  const ticks: Tick[] = [];
  for (let at = firstTick(span.from, step); at <= span.to && ticks.length <= most; at = nextTick(at, step))
    ticks.push({ at: percent(at, span), label: labelOf(at) });
  if (ticks.length === 0) ticks.push({ at: percent(span.from, span), label: labelOf(span.from) });
  const present = now >= span.from && now <= span.to ? percent(now, span) : null;
  return { ticks, present };
};

const firstTick = (from: number, step: number): number => {
  if (step < month) return Math.ceil(from / step) * step;
  const date = new Date(from);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

const nextTick = (at: number, step: number): number => {
  if (step < month) return at + step;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step / month);
};
