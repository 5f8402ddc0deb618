import type { Position, StoredEvent } from '../../eventstore/event-store.ts';
import type { LogTreeRow } from '../../projections/log-tree-table.ts';
import { addLeaf, emptySpan, joined, unpackSpan, packSpan, type Span } from '../merkle-tree.ts';
import { leafOf } from '../stored-leaf.ts';

/** The tree over the log as far as it was read, in two parts: up to the last head, and since. */
export type LogTree = {
  /** Of the last head; −1 before the first. */
  readonly headRevision: bigint;
  readonly before: Span;
  readonly since: Span;
  /** Of the last leaf; null for none. */
  readonly position: Position | null;
};

export const beginning: LogTree = {
  headRevision: -1n,
  before: emptySpan(),
  since: emptySpan(),
  position: null,
};

export const sizeOf = ({ since }: LogTree): number => since.end;
export const wholeOf = ({ before, since }: LogTree): Span => joined(before, since);

/** With the next event of the log. */
export const grown = (tree: LogTree, event: StoredEvent): LogTree => ({
  ...tree,
  since: addLeaf(tree.since, leafOf(event)),
  position: event.position,
});

/** As it is when its last leaf is the last one of the head of that revision. */
export const headedAt = (tree: LogTree, headRevision: bigint): LogTree => ({
  ...tree,
  headRevision,
  before: wholeOf(tree),
  since: emptySpan(sizeOf(tree)),
});

/** Null for an empty tree, which nobody needs to keep. */
export const toRow = ({ headRevision, before, since, position }: LogTree): LogTreeRow | null =>
  position && {
    headRevision,
    headSize: before.end,
    size: since.end,
    position,
    before: packSpan(before),
    since: packSpan(since),
  };

/** What was kept; from the beginning where there is nothing, or nothing that can be used. */
export const fromRow = (row: LogTreeRow | null): LogTree => {
  const before = row && unpackSpan(0, row.headSize, row.before);
  const since = row && unpackSpan(row.headSize, row.size, row.since);
  return row && before && since
    ? { headRevision: row.headRevision, before, since, position: row.position }
    : beginning;
};
