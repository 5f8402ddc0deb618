/** Expected outcomes are values: what was done, or why it was refused. Unexpected ones are thrown. */
export type Outcome<T, R extends string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** A problem with one field of the input. */
export type FieldProblem = { readonly field: string; readonly message: string };

/** For a command that checks its input first: which fields it refuses, and why. */
export type OutcomeWithProblems<T, R extends string> = Outcome<T, R> & {
  readonly problems?: readonly FieldProblem[];
};
