import { encodeEvent } from './encode.ts';
import { resolveLinks, unresolved } from './links.ts';
import type { Outlet } from './outlet.ts';
import { prefetched } from './pages.ts';
import type { ReadDependencies } from './read-dependencies.ts';
import type { AllRead, ReadPlan } from './read-plan.ts';
import type { Stored } from './record.ts';
import { endOfTime } from './record.ts';
import { thrown } from './status-errors.ts';

type Plan = Extract<ReadPlan, AllRead>;

/** Reads the whole log in either direction: forwards from a position inclusive, backwards exclusive. */
export const readAll = async (dependencies: ReadDependencies, plan: Plan, outlet: Outlet): Promise<void> => {
  const head = dependencies.commits.head();
  if (plan.backwards && typeof plan.from === 'object' && plan.from.commit > head)
    return outlet.fail(thrown());
  await deliver(dependencies, plan, outlet);
  outlet.end();
};

const deliver = async (dependencies: ReadDependencies, plan: Plan, outlet: Outlet): Promise<void> => {
  if (plan.from === (plan.backwards ? 'start' : 'end')) return;
  let remaining = plan.count;
  const wanted = plan.filter ? Number.POSITIVE_INFINITY : Number(plan.count);
  for await (const page of prefetched(pageReader(dependencies, plan), wanted)) {
    const matching = plan.filter ? page.filter(plan.filter.matches) : page;
    const events = plan.resolveLinks
      ? await resolveLinks(matching, dependencies.log, dependencies.heads)
      : matching.map(unresolved);
    for (const event of events) {
      const sent = outlet.send(encodeEvent(event, plan.structuredIds));
      if (sent !== true && !(await sent)) return;
      remaining -= 1n;
      if (remaining === 0n) return;
    }
    if (!outlet.open()) return;
  }
};

const pageReader = ({ log, commits }: ReadDependencies, { from, backwards }: Plan) => {
  const start = typeof from === 'object' ? from.commit : backwards ? endOfTime : 0n;
  return (last: Stored | undefined, limit: number): Promise<readonly Stored[]> => {
    if (backwards) return log.before(last?.position ?? start, limit);
    const after = last?.position ?? start - 1n;
    const recent = commits.after(after, limit);
    return recent ? Promise.resolve(recent) : log.after(after, limit);
  };
};
