import { within } from '../../eventstore/within.ts';

/** What one look found. */
export type Finding = {
  /** What was looked at, as `database` or `certificate of BASE_URL`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failure';
  readonly found: string;
  /** What to do about it; null when it is well. */
  readonly advice: string | null;
};

/** A group of looks that belong together. A failure to look is a finding, too. */
export type Look = { readonly check: string; readonly look: () => Promise<readonly Finding[]> };

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

/** What could not be looked at, and why, in words of our own: `why` is a code or a name. */
export class NotLookedAt extends Error {
  readonly why: string;
  readonly advice: string;
  constructor(why: string, advice: string) {
    super(why);
    this.why = why;
    this.advice = advice;
  }
}

/** Looks at everything at once, and waits for none of it for longer than `ms`. */
export const lookAtAll = async (looks: readonly Look[], ms: number): Promise<readonly Finding[]> =>
  (await Promise.all(looks.map((look) => lookAt(look, ms)))).flat();

const lookAt = async ({ check, look }: Look, ms: number): Promise<readonly Finding[]> => {
  try {
    return await within(ms, look());
  } catch (error) {
    const [why, advice] =
      error instanceof NotLookedAt
        ? [error.why, error.advice]
        : [causeOf(error), 'mend what it needs, and look again'];
    return [failure(check, `could not be looked at (${why})`, advice)];
  }
};

/** A code or a name: what a library says in words may quote an address with its password. */
export const causeOf = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'failure';
};

/** Whether a version such as 24.10.5 is at least another one; what cannot be read is not. */
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

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const DAY = 86_400_000;

export const daysBetween = (from: number, to: number): number => Math.floor((to - from) / DAY);
