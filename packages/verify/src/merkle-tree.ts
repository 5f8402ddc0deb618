import { createHash } from 'node:crypto';

/**
 * Neighbouring leaves of a tree of RFC 9162 §2.1, from `start` up to but not including `end`, as the fewest complete
 * subtrees that contain them: at most two for each doubling of their number, however many leaves there are. A span that
 * begins at 0 is a tree.
 */
export type Span = { readonly start: number; readonly end: number; readonly nodes: readonly Node[] };

/** A complete subtree over 2^level leaves. */
export type Node = { readonly level: number; readonly hash: Buffer };

const sha256 = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)];

export const leafHash = (entry: Uint8Array | string): Buffer => sha256(leafPrefix, entry);
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(nodePrefix, left, right);

export const emptySpan = (start = 0): Span => ({ start, end: start, nodes: [] });

export const addLeaf = (span: Span, hash: Buffer): Span => addNode(span, { level: 0, hash });

/** Both must be neighbours in one tree: a subtree of this level can begin at `span.end`. */
export const addNode = (span: Span, node: Node): Span => {
  const nodes = [...span.nodes];
  const end = span.end + 2 ** node.level;
  let last = node;
  for (let left = nodes.at(-1); left && areTwins(left, last, end); left = nodes.at(-1)) {
    nodes.pop();
    last = { level: last.level + 1, hash: nodeHash(left.hash, last.hash) };
  }
  nodes.push(last);
  return { start: span.start, end, nodes };
};

/** Whether two neighbours, of which the right one ends at `end`, have one parent. */
const areTwins = (left: Node, right: Node, end: number): boolean =>
  left.level === right.level && (end - 2 ** (left.level + 1)) % 2 ** (left.level + 1) === 0;

/** The leaves of both; the second begins where the first ends. */
export const joined = (span: Span, next: Span): Span => next.nodes.reduce(addNode, span);

/** MTH of RFC 9162 §2.1.1 over the leaves of a tree. */
export const rootOf = ({ nodes }: Pick<Span, 'nodes'>): Buffer => {
  const [last, ...others] = nodes.toReversed();
  return last ? others.reduce((root, { hash }) => nodeHash(hash, root), last.hash) : sha256();
};

/** The hashes of its nodes, one after the other: the size of each follows from the place of the span. */
export const packSpan = ({ nodes }: Span): Buffer => Buffer.concat(nodes.map(({ hash }) => hash));

/** The fewest complete subtrees over a range of leaves, in their order. */
export const nodesBetween = (
  from: number,
  to: number,
): readonly { readonly level: number; readonly start: number }[] => {
  const nodes: { level: number; start: number }[] = [];
  for (let start = from; start < to; start += 2 ** (nodes.at(-1)?.level ?? 0)) {
    let level = 0;
    while (start % 2 ** (level + 1) === 0 && start + 2 ** (level + 1) <= to) level++;
    nodes.push({ level, start });
  }
  return nodes;
};

/** Null for bytes that are not those of a span at this place. */
export const unpackSpan = (start: number, end: number, bytes: Uint8Array): Span | null => {
  const nodes = nodesBetween(start, end).map(({ level }, at) => ({
    level,
    hash: Buffer.from(bytes.subarray(at * 32, (at + 1) * 32)),
  }));
  return start <= end && bytes.length === nodes.length * 32 ? { start, end, nodes } : null;
};
