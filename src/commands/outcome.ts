/** The expected is a value: what was done, or why it was refused. The unexpected throws. */
export type Outcome<T, R extends string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** A refusal that names the input it is about. */
export type FieldProblem = { readonly field: string; readonly message: string };

/** Of a command that checks its input first: which fields it refuses, and why. */
export type OutcomeWithProblems<T, R extends string> = Outcome<T, R> & {
  readonly problems?: readonly FieldProblem[];
};
