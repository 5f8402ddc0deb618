import type { RecordProblem } from '../records/parse-record.ts';

export type ImportError = { readonly line: number } & RecordProblem;

/** The counts of an import so far. `refused` counts lines; `errors` keeps the first thousand problems. */
export type ImportCounts = {
  readonly lines: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** The part of `unchanged` for which a newer version was already stored. */
  readonly outdated: number;
  readonly refused: number;
  readonly errors: readonly ImportError[];
  /** Number of problems beyond those in `errors`. */
  readonly errors_left_out: number;
};

export type SoFar = Omit<ImportCounts, 'errors' | 'errors_left_out'>;

export type Effect = 'added' | 'changed' | 'removed' | 'unchanged' | 'outdated';

const keptErrors = 1000;

export const makeTally = () => {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0, outdated: 0, refused: 0, lines: 0 };
  const errors: ImportError[] = [];
  let leftOut = 0;
  const keep = (error: ImportError) => {
    if (errors.length < keptErrors) errors.push(error);
    else leftOut += 1;
  };
  return {
    done(effect: Effect) {
      counts.lines += 1;
      counts[effect] += 1;
      if (effect === 'outdated') counts.unchanged += 1;
    },
    refused(line: number, problems: readonly RecordProblem[]) {
      counts.lines += 1;
      counts.refused += 1;
      for (const problem of problems) keep({ line, ...problem });
    },
    /** Live view of the counts, without `errors`. */
    soFar: counts as SoFar,
    counts: (): ImportCounts => ({
      ...counts,
      errors: errors.toSorted((a, b) => a.line - b.line),
      errors_left_out: leftOut,
    }),
  };
};

export type Tally = ReturnType<typeof makeTally>;

export const noCounts: ImportCounts = makeTally().counts();

/** The counts of two parts of a file, one after the other. */
export const addCounts = (a: ImportCounts, b: ImportCounts): ImportCounts => {
  const errors = [...a.errors, ...b.errors];
  return {
    lines: a.lines + b.lines,
    added: a.added + b.added,
    changed: a.changed + b.changed,
    removed: a.removed + b.removed,
    unchanged: a.unchanged + b.unchanged,
    outdated: a.outdated + b.outdated,
    refused: a.refused + b.refused,
    errors: errors.slice(0, keptErrors),
    errors_left_out: a.errors_left_out + b.errors_left_out + Math.max(0, errors.length - keptErrors),
  };
};
