import {
  encodeEvent,
  encodeFirstStreamPosition,
  encodeLastStreamPosition,
  encodeNotFound,
} from './encode.ts';
import type { Head } from './heads.ts';
import { firstVisible, lastOf, softDeletedAt } from './heads.ts';
import { resolveLinks, unresolved } from './links.ts';
import type { Outlet } from './outlet.ts';
import { prefetched } from './pages.ts';
import type { ReadDependencies } from './read-dependencies.ts';
import { headFor, visibleSince } from './read-dependencies.ts';
import type { ReadPlan, StreamRead } from './read-plan.ts';
import type { Stored } from './record.ts';
import { endOfTime } from './record.ts';
import { streamDeleted } from './status-errors.ts';

type Plan = Extract<ReadPlan, StreamRead>;

/** Reads one stream in either direction, within its visible window; ends with OK, even if the stream does not exist. */
export const readStream = async (
  dependencies: ReadDependencies,
  plan: Plan,
  outlet: Outlet,
): Promise<void> => {
  const head = await headFor(dependencies, plan.stream);
  if (head.tombstoned) return outlet.fail(streamDeleted(plan.stream));
  const last = lastOf(plan.stream, head);
  if (last < 0n || softDeletedAt(plan.stream, head)) {
    await outlet.send(encodeNotFound(plan.stream));
    return outlet.end();
  }
  const low = firstVisible(plan.stream, head);
  if (plan.tellsBounds && !plan.backwards) await outlet.send(encodeFirstStreamPosition(low));
  await deliver(dependencies, plan, head, { low, last }, outlet);
  if (plan.tellsBounds) await outlet.send(encodeLastStreamPosition(last));
  outlet.end();
};

const deliver = async (
  dependencies: ReadDependencies,
  plan: Plan,
  head: Head,
  { low, last }: { low: bigint; last: bigint },
  outlet: Outlet,
): Promise<void> => {
  const range = rangeOf(plan, low, last);
  if (range.from > range.to || range.from > last) return;
  const wanted = Number(plan.count); // the client sends 2^53−1 for "all"
  for await (const page of prefetched(pageReader(dependencies, plan, visibleSince(head), range), wanted)) {
    const events = plan.resolveLinks
      ? await resolveLinks(page, dependencies.log, dependencies.heads)
      : page.map(unresolved);
    for (const event of events) {
      const sent = outlet.send(encodeEvent(event, plan.structuredIds));
      if (sent !== true && !(await sent)) return;
    }
  }
};

type Range = { readonly from: bigint; readonly to: bigint };

/** The revisions to read, both ends included; never the tombstone, which readers do not see as an event. */
const rangeOf = ({ from, backwards }: Plan, low: bigint, last: bigint): Range => {
  const start = from === 'start' ? 0n : from === 'end' ? last : from;
  if (backwards) return { from: low, to: start < last ? start : last };
  return { from: start > low ? start : low, to: endOfTime - 1n };
};

const pageReader =
  ({ log }: ReadDependencies, { stream, backwards }: Plan, since: bigint, range: Range) =>
  (last: Stored | undefined, limit: number): Promise<readonly Stored[]> => {
    if (backwards)
      return log.backwards({ stream, ...range, to: last ? last.revision - 1n : range.to, since, limit });
    return log.forwards({ stream, ...range, from: last ? last.revision + 1n : range.from, since, limit });
  };
