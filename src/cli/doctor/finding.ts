import { causeOf } from '../../common/server-away.ts';
import { withTimeout } from '../../common/with-timeout.ts';

export type Finding = {
  /** The subject of the check, such as `database` or `certificate of BASE_URL`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failure';
  readonly found: string;
  /** What to do about it; null when nothing is wrong. */
  readonly advice: string | null;
};

export type Check = { readonly check: string; readonly run: () => Promise<Finding | readonly Finding[]> };

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });

export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
});

export const failure = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'failure',
  found,
  advice,
});

/** In milliseconds: how long one call of a check may take, as long as one of a command; what takes longer than `slowMs` is reported. */
export const callMs = 7_000;
const slowMs = 2_000;

/** A server that answers slowly works: that is no more than a warning. */
export const slowly = (finding: Finding, ms: number): Finding =>
  ms < slowMs || finding.state !== 'ok'
    ? finding
    : warning(
        finding.check,
        `${finding.found}, but it answers slowly: it took ${(ms / 1000).toFixed(1)} s`,
        'look at its load, its disk and the network',
      );

/** A check could not run. `why` is our own text: a code, a name or a sentence. */
export class CheckNotPossible extends Error {
  readonly why: string;
  readonly advice: string;
  /** Whether `why` itself is the finding. */
  readonly isFinding: boolean;
  constructor(why: string, advice: string, isFinding = false) {
    super(why);
    this.why = why;
    this.advice = advice;
    this.isFinding = isFinding;
  }
}

/**
 * Runs all checks concurrently, each for at most `ms`. If one cause prevents several checks, it is reported once, with
 * the first of them, and names the others.
 */
export const checkAll = async (checks: readonly Check[], ms: number): Promise<readonly Finding[]> => {
  const done = await Promise.all(
    checks.map(async ({ check, run }) => ({ check, outcome: await runWithin(ms, run) })),
  );
  return done.flatMap(({ check, outcome }, index) => {
    if (!(outcome instanceof CheckNotPossible)) return outcome;
    const isSame = ({ outcome: other }: (typeof done)[number]) =>
      other instanceof CheckNotPossible && other.why === outcome.why && other.advice === outcome.advice;
    if (done.findIndex(isSame) < index) return [];
    const others = done
      .slice(index + 1)
      .filter(isSame)
      .map((other) => other.check);
    const found = outcome.isFinding ? outcome.why : `could not be checked (${outcome.why})`;
    const also = others.length === 0 ? '' : `; therefore not checked: ${others.join(', ')}`;
    return [failure(check, `${found}${also}`, outcome.advice)];
  });
};

const runWithin = async (ms: number, run: Check['run']): Promise<readonly Finding[] | CheckNotPossible> => {
  try {
    return [await withTimeout(ms, run())].flat();
  } catch (error) {
    return error instanceof CheckNotPossible
      ? error
      : new CheckNotPossible(causeOf(error), 'fix the cause, then run `grantbook doctor` again');
  }
};

/** Whether a version such as 24.10.5 is at least `floor`; false for an unreadable version. */
export const isAtLeast = (version: string, floor: string): boolean => {
  const [have, need] = [version, floor].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  for (const [index, wanted] of (need ?? []).entries()) {
    const part = have?.[index] ?? 0;
    if (Number.isNaN(part) || part < wanted) return false;
    if (part > wanted) return true;
  }
  return true;
};

export const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
};

const DAY = 86_400_000;

export const daysBetween = (from: number, to: number): number => Math.floor((to - from) / DAY);
