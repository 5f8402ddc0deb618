import type { FieldProblem } from '../../domain/kernel/decision.ts';

export type { FieldProblem };

/** Expected outcomes are values: what was done, or why it was refused. Unexpected ones are thrown. */
export type Outcome<T, R extends string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** For a command that checks its input first: which fields it refuses, and why. */
export type OutcomeWithProblems<T, R extends string> = Outcome<T, R> & {
  readonly problems?: readonly FieldProblem[];
};
