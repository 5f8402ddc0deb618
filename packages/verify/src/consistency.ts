import { nodeHash, rootOf, type Node, type Span } from './merkle-tree.ts';

/**
 * PROOF of RFC 9162 §2.1.4.1: that the tree `before` is the beginning of the one that `before` and `since` form
 * together. Needs only the two spans: each node of a proof lies completely in one of them.
 */
export const consistencyProof = (before: Span, since: Span): readonly Buffer[] => {
  const [m, n] = [before.end, since.end];
  if (m === 0 || m === n) return [];
  const nodes = [...placed(before), ...placed(since)];
  const hashOf = (from: number, to: number) =>
    rootOf({ nodes: nodes.filter(({ start }) => start >= from && start < to) });
  const proof: Buffer[] = [];
  let [from, to, isWhole] = [0, n, true];
  while (m < to) {
    const middle = from + 2 ** Math.ceil(Math.log2(to - from) - 1);
    if (m <= middle) {
      proof.push(hashOf(middle, to));
      to = middle;
    } else {
      proof.push(hashOf(from, middle));
      from = middle;
      isWhole = false;
    }
  }
  if (!isWhole) proof.push(hashOf(from, to));
  return proof.toReversed();
};

const placed = ({ start, nodes }: Span): readonly (Node & { readonly start: number })[] => {
  let next = start;
  return nodes.map((node) => {
    const at = next;
    next += 2 ** node.level;
    return { ...node, start: at };
  });
};

type Sized = { readonly size: number; readonly root: Buffer };

/**
 * RFC 9162 §2.1.4.2, and what it leaves to the caller: the empty tree is the beginning of every tree, and equal sizes
 * need no proof.
 */
export const isConsistent = (first: Sized, second: Sized, proof: readonly Buffer[]): boolean => {
  if (first.size > second.size) return false;
  if (first.size === 0) return proof.length === 0 && first.root.equals(rootOf({ nodes: [] }));
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  const isPowerOfTwo = Number.isInteger(Math.log2(first.size));
  const [start, ...path] = isPowerOfTwo ? [first.root, ...proof] : proof;
  if (!start || path.length + (isPowerOfTwo ? 0 : 1) === 0) return false;
  let [fn, sn] = [BigInt(first.size - 1), BigInt(second.size - 1)];
  while (fn & 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [fr, sr] = [start, start];
  for (const hash of path) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      [fr, sr] = [nodeHash(hash, fr), nodeHash(hash, sr)];
      while (fn !== 0n && !(fn & 1n)) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else sr = nodeHash(sr, hash);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && fr.equals(first.root) && sr.equals(second.root);
};
