import type { LogReader } from '../../eventstore/event-store.ts';
import { Interrupted } from '../interrupted.ts';
import { addLeaf, emptySpan, rootOf } from '../merkle-tree.ts';
import { positionText } from '../position-text.ts';
import { leafOf } from '../stored-leaf.ts';

/** A head that the log is compared with, and what to call it. */
export type ComparedHead = {
  readonly name: string;
  readonly size: number;
  readonly root: string;
  readonly position?: string;
};

export type LogCheck = {
  /** Of the log as it is. */
  readonly size: number;
  readonly root: string;
  /** The heads that it has grown from. */
  readonly agreed: number;
  /** Null when it agrees with every head. */
  readonly difference: {
    readonly head: ComparedHead;
    readonly kind: 'cut' | 'rewritten';
    /** The largest size at which it agrees with a head: the first difference lies behind. */
    readonly agreesTo: number;
  } | null;
};

/**
 * Reads the whole log once and compares its tree with every head at the head's size. What differs first is all that is told: behind
 * it everything does.
 * @throws Interrupted
 */
export const checkLog = async (
  log: LogReader,
  heads: readonly ComparedHead[],
  signal: AbortSignal,
): Promise<LogCheck> => {
  const waiting = heads.toSorted((one, other) => one.size - other.size);
  let [tree, agreesTo, agreed] = [emptySpan(), 0, 0];
  let difference: LogCheck['difference'] = null;
  for await (const event of log.readLog({ after: null, signal })) {
    tree = addLeaf(tree, leafOf(event));
    for (let head = waiting[agreed]; !difference && head?.size === tree.end; head = waiting[agreed]) {
      const isSame = head.root === rootOf(tree).toString('hex') && isAt(head, positionText(event.position));
      if (isSame) [agreesTo, agreed] = [tree.end, agreed + 1];
      else difference = { head, kind: 'rewritten', agreesTo };
    }
  }
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
  const missing = waiting[agreed];
  if (!difference && missing) difference = { head: missing, kind: 'cut', agreesTo };
  return { size: tree.end, root: rootOf(tree).toString('hex'), agreed, difference };
};

const isAt = ({ position }: ComparedHead, found: string): boolean =>
  position === undefined || position === found;
