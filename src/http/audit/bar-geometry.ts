import type { GrantBar } from '../../audit/timeline/timeline.ts';

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

export type Tick = { readonly at: number; readonly time: string };

/** Both ends of the axis and its middle: more labels do not fit on a phone. */
export const ticksOf = (span: Span): readonly Tick[] =>
  [0, 0.5, 1].map((share) => {
    const instant = span.from + share * (span.to - span.from);
    return { at: percent(instant, span), time: new Date(instant).toISOString() };
  });
