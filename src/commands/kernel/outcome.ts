import type { FieldProblem } from '../../domain/kernel/decision.ts';
import type { Position } from '../../eventstore/event-store.ts';

export type { FieldProblem };

/** Expected outcomes are values: what was done, or why it was refused. Unexpected ones are thrown. */
export type Outcome<T, R extends string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** For a command that checks its input first: which fields it refuses, and why. */
export type OutcomeWithProblems<T, R extends string> = Outcome<T, R> & {
  readonly problems?: readonly FieldProblem[];
};

/** Of what was checked, what is wrong: a message of null is of a field that is right. */
export const problemsAmong = (
  checked: readonly { readonly field: string; readonly message: string | null }[],
): readonly FieldProblem[] => checked.filter((problem): problem is FieldProblem => problem.message !== null);

/** `changed` is false where nothing had to change; `position` is what to wait for until the read models show it. */
export type Changed = { readonly changed: boolean; readonly position: Position | null };

/** What came of a decision on one stream. */
export const changedOutcome = <R extends string>({
  events,
  refusal,
  position,
}: {
  readonly events: readonly unknown[];
  readonly refusal?: R | undefined;
  readonly position: Position | null;
}): Outcome<Changed, R> =>
  refusal ? { ok: false, refusal } : { ok: true, value: { changed: events.length > 0, position } };
