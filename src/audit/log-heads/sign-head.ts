import { logHeadStream } from '../../domain/streams.ts';
import { EventStoreUnavailable, type EventStore, type LogReader } from '../../eventstore/event-store.ts';
import type { LogTreeRow } from '../../projections/log-tree-table.ts';
import { canonicalJson } from '../canonical-json.ts';
import { consistencyProof } from '../consistency.ts';
import { Interrupted } from '../interrupted.ts';
import type { SignJws } from '../jws.ts';
import { rootOf } from '../merkle-tree.ts';
import { positionText } from '../position-text.ts';
import { logHeadFormat, type LogHead, type SignedHead } from './log-head.ts';
import { beginning, fromRow, grown, headedAt, sizeOf, toRow, wholeOf, type LogTree } from './log-tree.ts';
import { headsFrom, type LoggedHead } from './read-heads.ts';

export type SignHeadNeeds = {
  readonly store: Pick<EventStore, 'append'> & LogReader;
  readonly sign: SignJws;
  readonly now: () => number;
  /** What was kept of the tree; what it says is believed only as far as the log's own heads agree with it. */
  readonly load: () => Promise<LogTreeRow | null>;
  /** Keeps it for the next time. */
  readonly save?: (row: LogTreeRow) => Promise<void>;
};

/** The log is not what a head of its own says that it was. */
export class LogChanged extends Error {
  override readonly name = 'LogChanged';
}

/** So many events are read again at most after an interruption. */
const keepEvery = 50_000;
const attempts = 5;

/**
 * Signs a head over everything that is in the log now, and appends it. Whoever does the same at the same time is found out by the
 * expected revision: of two, one begins again behind the other.
 * @returns null for an empty log
 * @throws LogChanged: nothing is signed over a log that contradicts its last head
 * @throws Interrupted, EventStoreUnavailable, AppendOutcomeUnknown
 */
export const signHead = async (needs: SignHeadNeeds, signal: AbortSignal): Promise<LogHead | null> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { tree, last } = await readOn(needs, signal);
    if (tree.position === null) return null;
    const head = await signed(needs, tree, positionText(tree.position));
    const expected = last ? last.revision : 'no-stream';
    const appended = await needs.store.append(logHeadStream, expected, [
      { event: { type: 'LogHeadSigned', data: head } },
    ]);
    if (!appended.ok) continue;
    await keep(needs, headedAt(tree, appended.revision));
    return head;
  }
  throw new EventStoreUnavailable(`the stream ${logHeadStream} changed under ${attempts} attempts`);
};

const signed = async ({ sign, now }: SignHeadNeeds, tree: LogTree, position: string): Promise<LogHead> => {
  const { format: _, ...head }: SignedHead = {
    format: logHeadFormat,
    size: sizeOf(tree),
    root: rootOf(wholeOf(tree)).toString('hex'),
    position,
    previousSize: tree.before.end,
    proof: consistencyProof(tree.before, tree.since).map((hash) => hash.toString('hex')),
    at: now(),
  };
  return { ...head, jws: await sign('log-head+jws', canonicalJson({ ...head, format: logHeadFormat })) };
};

/** From what was kept to the end of the log, by way of its last head. */
const readOn = async (needs: SignHeadNeeds, signal: AbortSignal) => {
  const kept = fromRow(await needs.load());
  const heads = await headsFrom(needs.store, kept.headRevision < 0n ? 0n : kept.headRevision);
  const last = heads.at(-1);
  let tree = passHead(isUsable(kept, heads) ? kept : beginning, last);
  let read = 0;
  for await (const event of needs.store.readLog({ after: tree.position, signal })) {
    tree = passHead(grown(tree, event), last);
    if (++read % keepEvery === 0) await keep(needs, tree);
  }
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
  if (last && tree.headRevision !== last.revision)
    throw new LogChanged(
      `the log has ${sizeOf(tree)} events, and had ${last.size} when its last head was signed`,
    );
  return { tree, last };
};

/** Whether it stands on a head that the log has, and nothing was read past the last one, where the tree has to be parted. */
const isUsable = (kept: LogTree, heads: readonly LoggedHead[]): boolean => {
  const [first, last] = [heads[0], heads.at(-1)];
  const isOurs =
    kept.headRevision < 0n
      ? kept.before.end === 0
      : first?.revision === kept.headRevision &&
        first.size === kept.before.end &&
        first.root === rootOf(kept.before).toString('hex');
  return isOurs && (last === undefined || last.revision === kept.headRevision || sizeOf(kept) <= last.size);
};

const passHead = (tree: LogTree, last: LoggedHead | undefined): LogTree => {
  if (!last || tree.headRevision === last.revision || sizeOf(tree) !== last.size) return tree;
  if (rootOf(wholeOf(tree)).toString('hex') !== last.root)
    throw new LogChanged(
      `the first ${last.size} events of the log are not those that its last head was signed over`,
    );
  return headedAt(tree, last.revision);
};

const keep = async ({ save }: SignHeadNeeds, tree: LogTree): Promise<void> => {
  const row = toRow(tree);
  if (row) await save?.(row);
};
