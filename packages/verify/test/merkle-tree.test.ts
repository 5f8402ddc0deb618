import { createHash } from 'node:crypto';
import {
  consistencyProof,
  isConsistent,
  addLeaf,
  emptySpan,
  joined,
  leafHash,
  nodeHash,
  packSpan,
  rootOf,
  unpackSpan,
  type Span,
} from '../src/index.ts';
import { describe, expect, test } from 'vitest';

const most = 64;
const sizes = Array.from({ length: most + 1 }, (_, size) => size);
const leaves = Array.from({ length: most }, (_, index) => leafHash(`entry ${index}`));

/** RFC 9162 §2.1.1 word for word, of the leaves from one to before another; each is worked out once. */
const mth = (from: number, to: number): Buffer => {
  const known = worked.get(`${from} ${to}`) ?? worksOut(from, to);
  worked.set(`${from} ${to}`, known);
  return known;
};
const worked = new Map<string, Buffer>();
const worksOut = (from: number, to: number): Buffer => {
  if (from === to) return createHash('sha256').digest();
  if (to - from === 1) return leaves[from] as Buffer;
  const k = split(to - from);
  return nodeHash(mth(from, from + k), mth(from + k, to));
};

/** RFC 9162 §2.1.4.1 word for word. */
const subproof = (m: number, from: number, to: number, b: boolean): readonly Buffer[] => {
  if (m === to - from) return b ? [] : [mth(from, to)];
  const k = split(to - from);
  return m <= k
    ? [...subproof(m, from, from + k, b), mth(from + k, to)]
    : [...subproof(m - k, from + k, to, false), mth(from, from + k)];
};

const split = (n: number) => {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
};

/** By where they begin and end. */
const spans = sizes.map((_, from) => {
  const ends = [emptySpan(from)];
  for (const leaf of leaves.slice(from)) ends.push(addLeaf(ends.at(-1) as Span, leaf));
  return ends;
});
const spanOf = (from: number, to: number): Span => spans[from]?.[to - from] as Span;
const hexes = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));
const upTo = (n: number) => sizes.slice(0, n + 1);

describe('the tree of RFC 9162', () => {
  test('has the roots of the log that Certificate Transparency is tested with', () => {
    const inputs = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    let tree = emptySpan();
    const roots = inputs.map((input) => rootOf((tree = addLeaf(tree, leafHash(Buffer.from(input, 'hex'))))));
    expect(hexes(roots)).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
  });

  test('has the root of the definition, at every size', () => {
    for (const n of sizes) expect(rootOf(spanOf(0, n))).toEqual(mth(0, n));
  });

  test('is kept as its hashes alone', () => {
    for (const n of sizes)
      for (const m of upTo(n).filter((at) => at % 5 === 0))
        expect(unpackSpan(m, n, packSpan(spanOf(m, n)))).toEqual(spanOf(m, n));
    expect(unpackSpan(0, 3, packSpan(spanOf(0, 4)))).toBeNull();
    expect(unpackSpan(0, 3, packSpan(spanOf(0, 3)).subarray(1))).toBeNull();
    expect(unpackSpan(4, 3, Buffer.alloc(32))).toBeNull();
  });

  test('is made of any two neighbours, and is kept in two hashes for each doubling', () => {
    for (const n of sizes)
      for (const m of upTo(n)) {
        expect(rootOf(joined(spanOf(0, m), spanOf(m, n))).equals(mth(0, n))).toBe(true);
        expect(spanOf(m, n).nodes.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(n - m + 1)));
      }
  });
});

describe('a consistency proof', () => {
  const proofOf = (m: number, n: number) => consistencyProof(spanOf(0, m), spanOf(m, n));
  const tree = (size: number) => ({ size, root: mth(0, size) });

  test('is that of the RFC’s example with seven leaves (§2.1.5)', () => {
    const [a, b, c, d, e, f, j] = leaves as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const [g, h, i] = [nodeHash(a, b), nodeHash(c, d), nodeHash(e, f)];
    const [k, l] = [nodeHash(g, h), nodeHash(i, j)];
    expect(proofOf(3, 7)).toEqual([c, d, g, l]);
    expect(proofOf(4, 7)).toEqual([l]);
    expect(proofOf(6, 7)).toEqual([i, j, k]);
  });

  test('is the definition’s and convinces, for every two sizes', () => {
    for (const n of sizes.slice(1))
      for (const m of upTo(n).slice(1)) {
        expect(hexes(proofOf(m, n))).toEqual(hexes(subproof(m, 0, n, true)));
        expect(isConsistent(tree(m), tree(n), proofOf(m, n))).toBe(true);
      }
    expect(isConsistent(tree(0), tree(5), [])).toBe(true);
  });

  test('convinces nobody of another tree, or with a hash changed, left out, added or moved', () => {
    for (const [m, n] of [
      [1, 2],
      [3, 7],
      [4, 8],
      [6, 7],
      [8, 33],
      [21, 64],
      [63, 64],
      [7, 7],
    ] as const) {
      const proof = proofOf(m, n);
      const other = leafHash('another');
      const wrong: [ReturnType<typeof tree>, ReturnType<typeof tree>, readonly Buffer[]][] = [
        [{ size: m, root: other }, tree(n), proof],
        [tree(m), { size: n, root: other }, proof],
        [tree(m), tree(n), [...proof, other]],
        ...proof.map((_, at): (typeof wrong)[number] => [tree(m), tree(n), proof.with(at, other)]),
        ...proof.map((_, at): (typeof wrong)[number] => [tree(m), tree(n), proof.toSpliced(at, 1)]),
        ...(proof.length > 1 ? [[tree(m), tree(n), proof.toReversed()] as (typeof wrong)[number]] : []),
      ];
      for (const [first, second, hashes] of wrong)
        expect([m, n, isConsistent(first, second, hashes)]).toEqual([m, n, false]);
    }
    expect(isConsistent(tree(7), tree(6), [])).toBe(false);
    expect(isConsistent({ size: 0, root: leafHash('x') }, tree(5), [])).toBe(false);
  });
});
