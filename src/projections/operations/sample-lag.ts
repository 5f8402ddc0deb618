import { setTimeout as delay } from 'node:timers/promises';
import type { EventType } from '../../domain/events.ts';
import type { EventStore, LogSubscriptions, Position } from '../../eventstore/event-store.ts';
import { countBacklog } from './count-backlog.ts';
import type { GroupLag, LagSample } from './status.ts';

export type SampledGroup = {
  readonly name: string;
  readonly eventTypes: readonly EventType[];
  readonly checkpoint: () => Promise<Position | null>;
};

export type SampleDependencies = {
  readonly log: LogSubscriptions & Pick<EventStore, 'head'>;
  readonly groups: readonly SampledGroup[];
  readonly now: () => number;
  readonly everyMs?: number;
  readonly keep?: number;
};

export type LagSampler = { readonly samples: () => readonly GroupLag[]; stop(): Promise<void> };

/** Counts regularly how many events lie after each group's checkpoint, and keeps the last ten minutes. */
export const sampleLag = (dependencies: SampleDependencies): LagSampler => {
  const { groups, now, everyMs = 10_000, keep = 60 } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  const rings = new Map<string, LagSample[]>(groups.map(({ name }) => [name, []]));
  const looks = groups.map((group) => [group, makeLook(dependencies.log, group, signal)] as const);
  const run = async () => {
    while (!signal.aborted) {
      for (const [group, look] of looks) {
        const behind = await look().catch(() => null);
        const ring = rings.get(group.name);
        ring?.push({ at: now(), behind });
        if (ring && ring.length > keep) ring.shift();
      }
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    samples: () =>
      groups.map(({ name }) => ({ name, most: mostCounted, samples: [...(rings.get(name) ?? [])] })),
    async stop() {
      stopping.abort();
      await running;
    },
  };
};

/** While neither log nor checkpoint moved, the last answer counts: an idle service opens no subscription. */
const makeLook = (log: SampleDependencies['log'], group: SampledGroup, stopping: AbortSignal) => {
  let known: { readonly at: string; readonly behind: number } | null = null;
  return async (): Promise<number> => {
    const [head, checkpoint] = await Promise.all([log.head(), group.checkpoint()]);
    const at = `${head?.commit} ${checkpoint?.commit}`;
    if (known?.at === at) return known.behind;
    const behind = await countBehind(log, group, checkpoint, stopping);
    known = { at, behind };
    return behind;
  };
};

const patienceMs = 5_000;
const mostCounted = 1_000;

/** @throws when the log or the database does not answer in time */
const countBehind = async (
  log: LogSubscriptions,
  { eventTypes }: SampledGroup,
  after: Position | null,
  stopping: AbortSignal,
): Promise<number> => {
  const bounds = { eventTypes, most: mostCounted, ms: patienceMs, unreadable: 'deliver', stopping } as const;
  const { events, isAll } = await countBacklog(log, after, bounds);
  if (!isAll && events < mostCounted) throw new Error('the log did not answer in time');
  return events;
};
