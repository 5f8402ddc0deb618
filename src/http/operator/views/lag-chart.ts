import type { GroupLag } from '../../../projections/operations/status.ts';

/** One bar for each sample, scaled to the highest lag. SVG attributes only, because pages must not contain styles. */
export type LagChart = {
  readonly name: string;
  readonly summary: string;
  readonly bars: readonly LagBar[];
};

type LagBar = { readonly x: number; readonly y: number; readonly height: number; readonly known: boolean };

export const chartWidth = 600;
export const chartHeight = 60;
export const barWidth = 8;
const pitch = 10;

export const lagChart = ({ name, most, samples }: GroupLag): LagChart => {
  const highest = Math.max(1, ...samples.map(({ behind }) => behind ?? 0));
  const first = chartWidth - samples.length * pitch;
  return {
    name,
    summary: summaryOf(samples, most),
    bars: samples.map(({ behind }, index) => {
      const height = behind === null ? chartHeight : Math.round((behind / highest) * (chartHeight - 2)) + 2;
      return { x: first + index * pitch, y: chartHeight - height, height, known: behind !== null };
    }),
  };
};

const summaryOf = (samples: GroupLag['samples'], mostCounted: number): string => {
  const countText = (events: number) =>
    events >= mostCounted
      ? `${mostCounted.toLocaleString('en-GB')} events or more`
      : `${events} ${events === 1 ? 'event' : 'events'}`;
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return 'no data yet';
  const known = samples.flatMap(({ behind }) => (behind === null ? [] : [behind]));
  const now = last.behind === null ? 'unknown now' : `${countText(last.behind)} behind now`;
  const seconds = Math.round((last.at - first.at) / 1000);
  const most =
    known.length === 0 ? '' : `; ${countText(Math.max(...known))} at most in the last ${seconds} seconds`;
  return `${now}${most}`;
};
