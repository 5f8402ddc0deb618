import { randomUUID } from 'node:crypto';
import type { Earlier, History } from './decide.ts';
import { decide } from './decide.ts';
import type { Head } from './heads.ts';
import { lastOf, softDeletedAt } from './heads.ts';
import type { Known } from './log.ts';
import type { Proposed, Stored } from './record.ts';
import { baseOf, endOfTime, expectAny, expectNoStream, isMetadataStream, metadataPrefix } from './record.ts';
import { isSoftDeleted, parseLimits, softDeleted, withTruncateBefore } from './stream-metadata.ts';

/** A request to the writer. */
export type Request = {
  readonly kind: 'append' | 'delete' | 'tombstone';
  readonly stream: string;
  readonly expected: bigint;
  readonly events: readonly Proposed[];
};

export type Outcome =
  /** Revision −1 means a stream without events; position is null if unknown. */
  | { readonly kind: 'written'; readonly revision: bigint; readonly position: bigint | null }
  | { readonly kind: 'wrong-expected-version'; readonly actual: bigint }
  | { readonly kind: 'stream-deleted' };

/** Assigns positions and times in the order of the log. */
export type Stamp = {
  position(bytes: number): bigint;
  created(): bigint;
  /** Position of the newest event. */
  head(): bigint;
};

/** Requests that share one transaction. They are decided in arrival order; each sees the effects of earlier ones. */
export type Group = {
  add(request: Request): Outcome;
  readonly events: readonly Stored[];
  readonly heads: ReadonlyMap<string, Head>;
};

export type Committed = {
  head(base: string): Head;
  /** Stored events that requests of the group may repeat; see `recall`. */
  readonly known: readonly Known[];
};

export const openGroup = (committed: Committed, stamp: Stamp): Group => {
  const events: Stored[] = [];
  const heads = new Map<string, Head>();
  const history = makeHistory(committed.known);
  const headOf = (stream: string): Head => heads.get(baseOf(stream)) ?? committed.head(baseOf(stream));

  const put = (stream: string, revision: bigint, proposed: Proposed): Stored => {
    const position = stamp.position(proposed.data.length + proposed.metadata.length);
    const stored = { ...proposed, stream, revision, position, created: stamp.created() };
    events.push(stored);
    history.add(stored);
    heads.set(baseOf(stream), advanced(headOf(stream), stored));
    return stored;
  };

  const putMetadata = (base: string, json: string): Stored =>
    put(`${metadataPrefix}${base}`, headOf(base).metadataLast + 1n, metadataEvent(json));

  /** Writing to a soft-deleted stream restores it, from its next revision on. */
  const undelete = (base: string, from: bigint): void => {
    const json = withTruncateBefore(headOf(base).metadata, from);
    if (json !== null) putMetadata(base, json);
  };

  const append = ({ stream, events: proposed }: Request): Outcome => {
    const before = headOf(stream);
    const last = lastOf(stream, before);
    let newest: Stored | undefined;
    for (const [index, event] of proposed.entries()) newest = put(stream, last + 1n + BigInt(index), event);
    if (softDeletedAt(stream, before)) undelete(stream, last + 1n);
    else if (isMetadataStream(stream) && newest && softDeletedAt(baseOf(stream), before))
      if (!isSoftDeleted(headOf(stream).limits)) undelete(baseOf(stream), before.last + 1n);
    return newest
      ? { kind: 'written', revision: newest.revision, position: newest.position }
      : { kind: 'written', revision: last, position: stamp.head() };
  };

  const apply = (request: Request): Outcome => {
    if (request.kind === 'append') return append(request);
    const stored =
      request.kind === 'delete'
        ? putMetadata(request.stream, softDeleted)
        : put(request.stream, endOfTime, tombstone());
    return { kind: 'written', revision: stored.revision, position: stored.position };
  };

  return {
    events,
    heads,
    add: (request) => {
      const { stream, expected } = request;
      const head = headOf(stream);
      // Delete and tombstone are checked like an append of one new event, so repeating them is not idempotent.
      const ids = request.kind === 'append' ? request.events.map(({ id }) => id) : [randomUUID()];
      const verdict = decide(stream, head, expected, ids, history.of(stream));
      if (verdict.kind === 'repeat')
        return { kind: 'written', revision: verdict.revision, position: verdict.position };
      if (verdict.kind !== 'write') return verdict;
      const nothingThere = lastOf(stream, head) < 0n && head.metadataLast < 0n;
      if (request.kind === 'delete' && nothingThere) return { kind: 'wrong-expected-version', actual: -1n };
      return apply(request);
    },
  };
};

const advanced = (head: Head, stored: Stored): Head => {
  if (stored.revision === endOfTime) return { ...head, last: endOfTime, tombstoned: true };
  if (!isMetadataStream(stored.stream)) return { ...head, last: stored.revision };
  const metadata = stored.isJson ? text(stored.data) : null;
  return { ...head, metadataLast: stored.revision, metadata, limits: parseLimits(metadata) };
};

/** Postgres text cannot contain NUL; a document with NUL is stored in the event but sets no limits. */
const text = (data: Uint8Array): string | null => {
  const json = Buffer.from(data).toString('utf8');
  return json.includes('\0') ? null : json;
};

const metadataEvent = (json: string): Proposed => ({
  id: randomUUID(),
  type: '$metadata',
  isJson: true,
  data: Buffer.from(json),
  metadata: new Uint8Array(),
});

const tombstone = (): Proposed => ({
  id: randomUUID(),
  type: '$streamDeleted',
  isJson: false,
  data: new Uint8Array(),
  metadata: new Uint8Array(),
});

type GroupHistory = { of(stream: string): History; add(event: Known): void };

const makeHistory = (known: readonly Known[]): GroupHistory => {
  const streams = new Map<string, { byId: Map<string, Earlier>; byRevision: Map<bigint, Earlier> }>();
  const entry = (stream: string) => {
    const found = streams.get(stream) ?? { byId: new Map(), byRevision: new Map() };
    streams.set(stream, found);
    return found;
  };
  const add = (event: Known): void => {
    const { byId, byRevision } = entry(event.stream);
    if (!byId.has(event.id)) byId.set(event.id, event); // the first write of an id counts
    byRevision.set(event.revision, event);
  };
  for (const event of known) add(event);
  return {
    add,
    of: (stream) => {
      const found = streams.get(stream);
      return { byId: (id) => found?.byId.get(id), at: (revision) => found?.byRevision.get(revision) };
    },
  };
};

/**
 * The stored events that must be loaded before these requests can be decided, derived only from the committed heads.
 */
export const lookups = (requests: readonly Request[], head: (base: string) => Head) => {
  const pairs: { stream: string; id: string }[] = [];
  const ranges: { stream: string; from: bigint; to: bigint }[] = [];
  for (const { kind, stream, expected, events } of requests) {
    const last = lastOf(stream, head(baseOf(stream)));
    if (kind !== 'append' || last < 0n || events.length === 0) continue;
    if (expected >= expectNoStream && expected < last)
      ranges.push({ stream, from: expected + 1n, to: expected + BigInt(events.length) });
    else if (expected <= expectAny) for (const { id } of events) pairs.push({ stream, id });
  }
  return { pairs, ranges };
};
