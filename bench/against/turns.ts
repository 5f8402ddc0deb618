import Table from 'cli-table3';

/** What one burst of requests cost. */
export type Burst = {
  /** Milliseconds of CPU for each operation, of all processes of the server together. */
  readonly cpu: number;
  readonly perSecond: number;
};

/** The bursts of a measure by side, in the order of the rounds; the first side is this version. None where a side does not have it. */
export type Turns = { readonly measure: string; readonly sides: readonly (readonly Burst[])[] };

/** CPU of this version as a multiple of another one's, round by round. */
export type Ratio = { readonly median: number; readonly least: number; readonly most: number };

export const ratioOf = (ours: readonly Burst[], theirs: readonly Burst[]): Ratio => {
  const ratios = ours.flatMap(({ cpu }, round) => {
    const other = theirs[round];
    return other ? [cpu / other.cpu] : [];
  });
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

/** Who begins changes from round to round: what is second finds another machine than what is first. */
export const orderOf = (round: number, sides: number): readonly number[] =>
  Array.from({ length: sides }, (_, index) => (index + round) % sides);

/** @param names of the sides; the first is this version */
export const tableOf = (names: readonly string[], measures: readonly Turns[]): string => {
  const [, ...others] = names;
  const table = new Table({
    head: ['CPU per operation', ...names, ...others.map((name) => `of ${name}: median (least, most)`)],
    style: { head: [], border: [], compact: true },
  });
  for (const { measure, sides } of measures) {
    const [ours = [], ...rest] = sides;
    const cells = sides.map((bursts) => {
      if (bursts.length === 0) return '—';
      const middle = (pick: (burst: Burst) => number) => median(bursts.map(pick));
      return `${middle(({ cpu }) => cpu).toFixed(2)} ms (${Math.round(middle(({ perSecond }) => perSecond))}/s)`;
    });
    const ratios = rest.map((theirs) => {
      if (theirs.length === 0) return '—';
      const { median: middle, least, most } = ratioOf(ours, theirs);
      return `${middle.toFixed(2)} (${least.toFixed(2)}, ${most.toFixed(2)})`;
    });
    table.push([measure, ...cells, ...ratios]);
  }
  return table.toString();
};
