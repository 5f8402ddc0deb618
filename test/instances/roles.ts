import { expect } from 'vitest';
import type { Place } from '../attack/processes/history.ts';
import type { Stage } from '../attack/processes/stage.ts';

/** Waits until this instance is ready and leads both workers, or stands by for both. */
export const untilBoth = async (stage: Stage, place: Place, role: 'leading' | 'standby'): Promise<void> => {
  const both = { ready: true, projector: role, revocations: role };
  await expect.poll(() => rolesOf(stage, place), { interval: 20 }).toEqual(both);
};

/** Waits until one instance leads both workers: where each leads one, the second one starts again. */
export const leaderOfBoth = async (stage: Stage): Promise<Place> => {
  const leaders = () =>
    Promise.all((['projector', 'revocations'] as const).map((worker) => leaderOf(stage, worker)));
  await expect.poll(leaders, { interval: 20 }).not.toContain(null);
  const [projector, revocations] = await leaders();
  if (projector === revocations && typeof projector === 'number') return projector;
  await stage.kill(1);
  await stage.restart(1);
  await untilBoth(stage, 0, 'leading');
  return 0;
};

type Worker = 'projector' | 'revocations';
type Roles = { readonly ready: boolean } & Readonly<Record<Worker, string | undefined>>;

/** Null: nobody, or both say so. */
const leaderOf = async (stage: Stage, worker: Worker): Promise<Place | null> => {
  const [first, second] = await Promise.all([rolesOf(stage, 0), rolesOf(stage, 1)]);
  const said = [first[worker], second[worker]].join();
  return said === 'leading,standby' ? 0 : said === 'standby,leading' ? 1 : null;
};

export const rolesOf = async ({ wire }: Stage, place: Place): Promise<Roles> => {
  const { status, body } = await wire.send(place, { method: 'GET', path: '/health/ready', headers: {} });
  const { projector, revocations } = (body?.['checks'] ?? {}) as Partial<Record<Worker, string>>;
  return { ready: status === 200, projector, revocations };
};
