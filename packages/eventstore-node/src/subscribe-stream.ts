import { encodeCaughtUp, encodeEvent } from './encode.ts';
import type { Head } from './heads.ts';
import { firstVisible, lastOf, softDeletedAt } from './heads.ts';
import { resolveLinks, unresolved } from './links.ts';
import type { Outlet } from './outlet.ts';
import { prefetched } from './pages.ts';
import type { ReadDependencies } from './read-dependencies.ts';
import { headFor, visibleSince } from './read-dependencies.ts';
import type { ReadPlan, StreamSubscription } from './read-plan.ts';
import type { Stored } from './record.ts';
import { endOfTime } from './record.ts';
import { streamDeleted } from './status-errors.ts';

type Plan = Extract<ReadPlan, StreamSubscription>;

/**
 * A pull loop: stored events, caught up, then the events of each commit. The metadata limits apply only until caught
 * up, so a live subscriber misses nothing.
 */
export const subscribeToStream = async (
  dependencies: ReadDependencies,
  plan: Plan,
  outlet: Outlet,
  confirm: () => Promise<boolean> | boolean,
): Promise<void> => {
  const watch = dependencies.commits.watch(plan.stream);
  void outlet.closed.then(() => watch.close());
  const head = await headFor(dependencies, plan.stream);
  if (head.tombstoned) return outlet.fail(streamDeleted(plan.stream));
  const last = lastOf(plan.stream, head);
  const after = plan.from === 'start' ? -1n : plan.from === 'end' ? last : plan.from;
  if (!(await confirm())) return;
  let cursor = await catchUp(dependencies, plan, { head, last, after }, outlet);
  if (!(await outlet.send(encodeCaughtUp))) return;
  while (outlet.open()) {
    const news = await deliver(dependencies, plan, { from: cursor + 1n, to: endOfTime, since: 0n }, outlet);
    if (news === endOfTime) return outlet.fail(streamDeleted(plan.stream));
    cursor = news ?? cursor;
    await watch.next();
  }
};

/** Delivers the visible window after `after`; returns where live delivery begins. */
const catchUp = async (
  dependencies: ReadDependencies,
  plan: Plan,
  { head, last, after }: { head: Head; last: bigint; after: bigint },
  outlet: Outlet,
): Promise<bigint> => {
  const end = after > last ? after : last;
  const low = firstVisible(plan.stream, head);
  const from = after + 1n > low ? after + 1n : low;
  if (softDeletedAt(plan.stream, head) || from > last) return end;
  await deliver(dependencies, plan, { from, to: last, since: visibleSince(head) }, outlet);
  return end;
};

/** Returns the last revision sent, if any. */
const deliver = async (
  dependencies: ReadDependencies,
  plan: Plan,
  window: { from: bigint; to: bigint; since: bigint },
  outlet: Outlet,
): Promise<bigint | undefined> => {
  let sent: bigint | undefined;
  if (window.from > endOfTime) return sent;
  const read = (last: Stored | undefined, limit: number): Promise<readonly Stored[]> =>
    dependencies.log.forwards({
      stream: plan.stream,
      ...window,
      from: last ? last.revision + 1n : window.from,
      limit,
    });
  for await (const page of prefetched(read)) {
    const events = plan.resolveLinks
      ? await resolveLinks(page, dependencies.log, dependencies.heads)
      : page.map(unresolved);
    for (const [index, event] of events.entries()) {
      const room = outlet.send(encodeEvent(event, plan.structuredIds));
      if (room !== true && !(await room)) return sent;
      sent = page[index]?.revision;
    }
  }
  return sent;
};
