import { DatabaseError } from 'pg';

/** A handler threw, or the event cannot be decoded. A fold has no I/O, so it fails the same way each time. */
export class FoldFailed extends Error {
  override readonly name = 'FoldFailed';
}

/** A retry would fail again. All other failures are temporary: a lost connection, a full disk, a deadlock. */
export const isDeterministic = (error: unknown): boolean => isPoison(error) || isAboutStatement(error);

/** This event cannot be applied: the fold fails, or the database rejects the data (SQLSTATE 21, 22, 23, 54). */
export const isPoison = (error: unknown): boolean =>
  error instanceof FoldFailed ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  (error instanceof DatabaseError && /^(21|22|23|54)/.test(error.code ?? ''));

/** A table or a permission is missing, which affects every event: parking them all would hide that. */
const isAboutStatement = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code ?? '').startsWith('42');

/** What went wrong, in names of our code and the database, never a value: data may be personal. */
export const describePoison = (error: unknown): string => {
  if (error instanceof DatabaseError) return describeVerdict(error);
  if (error instanceof FoldFailed)
    return error.cause === undefined ? error.message : describePoison(error.cause);
  return error instanceof Error ? `${error.constructor.name}${placeIn(error)}` : 'something was thrown';
};

const describeVerdict = ({ code = '', table, column, constraint }: DatabaseError): string => {
  const where = Object.entries({ table, column, constraint }).flatMap(([what, name]) =>
    name === undefined ? [] : [`${what} ${name}`],
  );
  const meaning = meanings[code.slice(0, 2)] ?? 'refused';
  return [`Postgres ${code}, ${meaning}`, ...where].join(', ');
};

const meanings: Readonly<Record<string, string>> = {
  '21': 'more rows than a statement accepts',
  '22': 'a value that its column does not accept',
  '23': 'a constraint',
  '54': 'a limit of the server',
};

/** `at lists/fold.ts:41`: the innermost line of our code. */
const placeIn = ({ stack = '' }: Error): string => {
  const [, file] = /\/((?:[\w.-]+\/)?[\w.-]+\.[jt]s:\d+):\d+\)?$/m.exec(stack) ?? [];
  return file === undefined ? '' : ` at ${file}`;
};
