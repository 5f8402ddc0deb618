import { setTimeout as delay } from 'node:timers/promises';
import type { Checkpoint, Checkpoints } from './checkpoints.ts';
import { makeCheckpoints } from './checkpoints.ts';
import { encodeCaughtUp, encodeCheckpoint, encodeEvent } from './encode.ts';
import { resolveLinks, unresolved } from './links.ts';
import type { Outlet } from './outlet.ts';
import { prefetched } from './pages.ts';
import type { ReadDependencies } from './read-dependencies.ts';
import type { AllBound, AllSubscription, ReadPlan } from './read-plan.ts';
import type { Stored } from './record.ts';
import { invalidPosition } from './status-errors.ts';

type Plan = Extract<ReadPlan, AllSubscription>;

/** The log after a position, and then new events; nothing is lost or repeated, however slow the reader. */
export const subscribeToAll = async (
  dependencies: ReadDependencies,
  plan: Plan,
  outlet: Outlet,
  confirm: () => Promise<boolean> | boolean,
): Promise<void> => {
  const watch = dependencies.commits.watch(null);
  void outlet.closed.then(() => watch.close());
  const start = startAfter(plan.from, dependencies.commits.head());
  const beyond = start > dependencies.commits.head() ? start : null;
  const checkpoints = plan.filter && makeCheckpoints(plan.filter, resumable(plan.from));
  if (!(await confirm())) return;
  let cursor = await deliver(dependencies, plan, { after: start, checkpoints }, outlet);
  if (!(await sendCheckpoint(outlet, checkpoints?.caughtUp()))) return;
  if (!(await outlet.send(encodeCaughtUp))) return;
  while (outlet.open()) {
    if (beyond !== null && dependencies.commits.head() > beyond && !(await isPosition(dependencies, beyond)))
      return outlet.fail(invalidPosition());
    const hasBacklog = (dependencies.commits.after(cursor, backlog)?.length ?? backlog) === backlog;
    cursor = await deliver(dependencies, plan, { after: cursor, checkpoints }, outlet);
    if (hasBacklog) await delay(gatherMs);
    await watch.next();
  }
};

const isPosition = async ({ log }: ReadDependencies, position: bigint): Promise<boolean> =>
  (await log.after(position - 1n, 1))[0]?.position === position;

/**
 * Events that are committed together are collected for a moment and sent as a batch: one by one they would cost this
 * process and its readers as much as the appends did. A single event is sent at once.
 */
const backlog = 2;
const gatherMs = 5;

/** Positions compare as pairs: with a prepare below the commit, the event at the commit is delivered again. */
const startAfter = (from: AllBound, head: bigint): bigint => {
  if (from === 'start') return -1n;
  if (from === 'end') return head;
  return from.prepare < from.commit ? from.commit - 1n : from.commit;
};

const resumable = (from: AllBound): bigint | null => (typeof from === 'object' ? from.commit : null);

const sendCheckpoint = async (outlet: Outlet, checkpoint: Checkpoint | undefined): Promise<boolean> =>
  checkpoint ? outlet.send(encodeCheckpoint(checkpoint.commit, checkpoint.prepare)) : outlet.open();

/** Sends all committed events after a position; returns the position of the last event considered. */
const deliver = async (
  dependencies: ReadDependencies,
  plan: Plan,
  { after, checkpoints }: { after: bigint; checkpoints: Checkpoints | null },
  outlet: Outlet,
): Promise<bigint> => {
  let cursor = after;
  const read = async (last: Stored | undefined, limit: number): Promise<readonly Stored[]> => {
    const from = last?.position ?? after;
    return dependencies.commits.after(from, limit) ?? dependencies.log.after(from, limit);
  };
  for await (const page of prefetched(read)) {
    const events = plan.resolveLinks
      ? await resolveLinks(page, dependencies.log, dependencies.heads)
      : page.map(unresolved);
    for (const [index, stored] of page.entries()) {
      const matched = plan.filter?.matches(stored) ?? true;
      const room = matched
        ? outlet.send(encodeEvent(events[index] ?? unresolved(stored), plan.structuredIds))
        : true;
      if (room !== true && !(await room)) return cursor;
      cursor = stored.position;
      const checkpoint = checkpoints?.considered(cursor, matched);
      if (checkpoint && !(await sendCheckpoint(outlet, checkpoint))) return cursor;
    }
    if (!outlet.open()) return cursor;
  }
  return cursor;
};
