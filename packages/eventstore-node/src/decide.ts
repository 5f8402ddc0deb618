import type { Head } from './heads.ts';
import { firstVisible, lastOf, softDeletedAt } from './heads.ts';
import { expectAny, expectNoStream, expectStreamExists } from './record.ts';

/** A stored event of the stream, found by its id or revision. */
export type Earlier = { readonly id: string; readonly revision: bigint; readonly position: bigint };
export type History = {
  byId(id: string): Earlier | undefined;
  at(revision: bigint): Earlier | undefined;
};

export type Verdict =
  | { readonly kind: 'write' }
  /**
   * The same events are already stored: answered as the first time, with position null if they can no longer be read.
   */
  | { readonly kind: 'repeat'; readonly revision: bigint; readonly position: bigint | null }
  | { readonly kind: 'wrong-expected-version'; readonly actual: bigint }
  | { readonly kind: 'stream-deleted' };

const write: Verdict = { kind: 'write' };
const deleted: Verdict = { kind: 'stream-deleted' };

/** The expected-revision matrix, checked in the server's order. */
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
  if (expected === last) return write; // no id check: re-sending with the new revision stores duplicates
  return byRevisions(stream, head, expected, ids, history, wrong);
};

/** `any` and `stream_exists`: the first id decides whether the append is new; the others must be consistent with it. */
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

/** An exact revision below the head: the events stored after it must be exactly these. */
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
