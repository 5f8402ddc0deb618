import type { Head } from './heads.ts';
import { firstVisible, lastOf, softDeletedAt } from './heads.ts';
import { expectAny, expectNoStream, expectStreamExists } from './record.ts';

/** Where an event id, or a revision, of the stream is already stored. */
export type Earlier = { readonly id: string; readonly revision: bigint; readonly position: bigint };
export type History = {
  byId(id: string): Earlier | undefined;
  at(revision: bigint): Earlier | undefined;
};

export type Verdict =
  | { readonly kind: 'write' }
  /** The same events are there already: answered as they were, position null when they cannot be read any more. */
  | { readonly kind: 'repeat'; readonly revision: bigint; readonly position: bigint | null }
  | { readonly kind: 'wrong-expected-version'; readonly actual: bigint }
  | { readonly kind: 'stream-deleted' };

const write: Verdict = { kind: 'write' };
const deleted: Verdict = { kind: 'stream-deleted' };

/** The expected-revision matrix, in the server's order of checks. */
export const decide = (
  stream: string,
  head: Head,
  expected: bigint,
  ids: readonly string[],
  history: History,
): Verdict => {
  const last = lastOf(stream, head);
  const wrong: Verdict = { kind: 'wrong-expected-version', actual: last };
  if (head.tombstoned) return deleted;
  if (expected === expectStreamExists) {
    if (softDeletedAt(stream, head)) return deleted;
    if (last < 0n && head.metadataLast < 0n) return wrong;
  }
  if (expected === expectAny || expected === expectStreamExists)
    return byIds(stream, head, ids, history, wrong);
  if (expected > last) return wrong;
  if (expected === last) return write; // no id check: re-sending at the advanced revision duplicates
  return byRevisions(stream, head, expected, ids, history, wrong);
};

/** `any` and `stream_exists`: the first id decides whether this is new, and then the others must agree. */
const byIds = (
  stream: string,
  head: Head,
  ids: readonly string[],
  history: History,
  wrong: Verdict,
): Verdict => {
  const earlier = ids.map((id) => history.byId(id));
  if (earlier[0] === undefined) return write;
  if (earlier.includes(undefined)) return wrong;
  return repeat(stream, head, earlier.at(-1), wrong);
};

/** An exact revision below the head: what is stored after it must be these very events. */
const byRevisions = (
  stream: string,
  head: Head,
  expected: bigint,
  ids: readonly string[],
  history: History,
  wrong: Verdict,
): Verdict => {
  if (ids.length === 0) return wrong;
  const stored = ids.map((_, index) => history.at(expected + BigInt(index) + 1n));
  if (stored[0]?.id !== ids[0])
    return expected === expectNoStream && softDeletedAt(stream, head) ? write : wrong;
  return ids.every((id, index) => stored[index]?.id === id)
    ? repeat(stream, head, stored.at(-1), wrong)
    : wrong;
};

const repeat = (stream: string, head: Head, earlier: Earlier | undefined, wrong: Verdict): Verdict => {
  if (!earlier) return wrong;
  const readable = earlier.revision >= firstVisible(stream, head);
  return { kind: 'repeat', revision: earlier.revision, position: readable ? earlier.position : null };
};
