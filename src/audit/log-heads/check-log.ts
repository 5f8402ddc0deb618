import { addLeaf, emptySpan, rootOf, type ComparedHead, type Span } from '#verify';
import type { LogReader, Position, StoredEvent } from '../../eventstore/event-store.ts';
import { Interrupted } from '../interrupted.ts';
import type { LogTree } from '../log-tiles/log-tree.ts';
import { leafOf } from '../proofs/stored-leaf.ts';
import { positionText } from '../timeline/position-text.ts';
import { makeTileCheck, type TileTrouble } from './tile-check.ts';

export type CheckedTo = {
  readonly size: number;
  /** Root of the tree up to there, computed from the events. */
  readonly root: string;
  /** Position of the last event; null where none was read. */
  readonly position: Position | null;
  readonly removed: Readonly<Record<string, number>>;
};

export type Difference =
  | {
      readonly kind: 'cut' | 'rewritten';
      readonly head: ComparedHead;
      /** The largest size at which it agrees with a head: the first difference comes after it. */
      readonly agreesTo: number;
      readonly trouble: TileTrouble | null;
    }
  /** A tile of the tree does not agree with the log, which agrees with the heads; or nothing shows which is right. */
  | { readonly kind: 'tile'; readonly agreesTo: number; readonly trouble: TileTrouble };

export type LogCheck = CheckedTo & {
  /** Number of heads that the log has grown from. */
  readonly agreed: number;
  /** Null when it agrees with every head and every tile. */
  readonly difference: Difference | null;
};

export type CheckDependencies = {
  readonly log: LogReader;
  readonly heads: readonly ComparedHead[];
  /** Without it, the tree is computed from events alone, and no event may be missing. Events after its end are added to it, not saved. */
  readonly tiles?: LogTree;
  /** What was checked before; used only if the tiles still lead to its root. The beginning by default. */
  readonly from?: CheckedTo;
  /** The category of a leaf whose event documented retention removed; null for every other leaf. */
  readonly removedAs?: (index: number) => string | null;
  readonly signal: AbortSignal;
  /** Called after each event that agreed. */
  readonly passed?: (to: () => CheckedTo) => void | Promise<void>;
};

const nothing: CheckedTo = { size: 0, root: '', position: null, removed: {} };

/** Compares the log, from where it was last checked, with its tiles and heads, up to the first difference. @throws Interrupted, TilesDamaged */
export const checkLog = async (dependencies: CheckDependencies): Promise<LogCheck> => {
  const { log, tiles, from = nothing, signal } = dependencies;
  const heads = makeHeadCheck(dependencies.heads);
  let tree: Span = tiles && from.size > 0 ? await tiles.span(0, from.size) : emptySpan();
  for (const head of heads.upTo(from.size)) heads.compare(head, await tiles?.rootAt(head.size));
  let { position } = from;
  const removed: Record<string, number> = { ...from.removed };
  const check = tiles && makeTileCheck(tiles, dependencies.removedAs ?? (() => null));

  const add = (leaf: Buffer, event: StoredEvent | null): void => {
    tree = addLeaf(tree, leaf);
    const root = () => rootOf(tree).toString('hex');
    heads.reached(tree.end, root, event && positionText(event.position));
  };
  const fill = (leaves: readonly { readonly leaf: Buffer; readonly category: string }[]): void => {
    for (const { leaf, category } of leaves) {
      removed[category] = (removed[category] ?? 0) + 1;
      add(leaf, null);
    }
  };
  const state = (): CheckedTo => ({
    size: tree.end,
    root: rootOf(tree).toString('hex'),
    position,
    removed: { ...removed },
  });

  for await (const event of log.readLog({ after: from.position, signal })) {
    const leaf = leafOf(event);
    if (check) fill(await check.before(tree.end, leaf, event));
    add(leaf, event);
    position = event.position;
    if (heads.difference() || check?.trouble()) continue;
    if (tiles && tiles.size() < tree.end) tiles.add(leaf, position);
    await dependencies.passed?.(state);
  }
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
  if (check) fill(await check.atEnd(tree.end));
  const trouble = check?.trouble() ?? null;
  return { ...state(), agreed: heads.agreed(), difference: judge(heads.end(), heads.agreesTo(), trouble) };
};

const judge = (
  found: HeadDifference | null,
  agreesTo: number,
  trouble: TileTrouble | null,
): Difference | null => {
  if (found) return { ...found, agreesTo, trouble };
  return trouble && { kind: 'tile', agreesTo, trouble };
};

type HeadDifference = { readonly kind: 'cut' | 'rewritten'; readonly head: ComparedHead };

const makeHeadCheck = (all: readonly ComparedHead[]) => {
  const heads = all.toSorted((one, other) => one.size - other.size);
  let [agreesTo, agreed] = [0, 0];
  let difference: HeadDifference | null = null;
  const compare = (head: ComparedHead, root: string | undefined, position?: string | null): void => {
    if (difference) return;
    const isHere = position === undefined || position === null || (head.position ?? position) === position;
    if (head.root === root && isHere) [agreesTo, agreed] = [head.size, agreed + 1];
    else difference = { head, kind: 'rewritten' };
  };
  return {
    upTo: (size: number) => heads.filter((head) => head.size <= size),
    compare,
    reached(size: number, root: () => string, position: string | null): void {
      for (let head = heads[agreed]; !difference && head?.size === size; head = heads[agreed])
        compare(head, root(), position);
    },
    agreesTo: () => agreesTo,
    agreed: () => agreed,
    difference: () => difference,
    end: (): HeadDifference | null => {
      const missing = heads[agreed];
      return difference ?? (missing ? { head: missing, kind: 'cut' } : null);
    },
  };
};
