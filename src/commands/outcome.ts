/** The expected is a value: what was done, or why it was refused. The unexpected throws. */
export type Outcome<T, R extends string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** A refusal that names the input it is about. */
export type FieldProblem = { readonly field: string; readonly message: string };
