import type { Outcome } from '../../src/commands/kernel/outcome.ts';

/** The value of an outcome that must be a success. */
export const valueOf = <T>(outcome: Outcome<T, string>): T => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`);
  return outcome.value;
};

/** The reason of a refusal; undefined for a success. */
export const refusalOf = <R extends string>(outcome: Outcome<unknown, R>): R | undefined =>
  outcome.ok ? undefined : outcome.refusal;
