import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { accessRight, done } from '../world.ts';
import { openInstance, type OpenInstance } from './instance.ts';
import type { Wants } from './names.ts';
import type { Stage } from './stage.ts';

/** After a kill -9, and after a SIGSTOP, which others notice only by missing signs of life. */
export const measureLeadership = async (
  stage: Stage,
  wants: Wants,
  times: number,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const [name, signal] of [
    ['leadership-moves', 'SIGKILL'],
    ['leadership-moves-frozen', 'SIGSTOP'],
  ] as const) {
    if (!wants(name) && !wants(`${name}-max`)) continue;
    tell(`${times} times ${signal} for the leader`);
    const moves = await timeLeadership(stage, signal, times);
    results.push(
      result(name, percentile(moves, 0.5) / 1000, 's', times),
      result(`${name}-max`, Math.max(...moves) / 1000, 's', times),
    );
  }
  return results;
};

/**
 * Milliseconds from a signal that kills or freezes the leader of the projector and the reaction until a standby
 * instance leads both and the read models contain an event that was appended after the signal. Each round starts a new
 * standby instance.
 */
const timeLeadership = async (
  stage: Stage,
  signal: 'SIGKILL' | 'SIGSTOP',
  times: number,
): Promise<readonly number[]> => {
  const instances: OpenInstance[] = [];
  const open = async () => {
    const instance = await openInstance(stage.env);
    instances.push(instance);
    return instance;
  };
  try {
    const moves: number[] = [];
    let leader = await open();
    for (let time = 0; time < times; time += 1) {
      await leadsBoth(leader);
      const standby = await open();
      await standby.waitForRole('projector', 'standby');
      leader.signal(signal);
      const signalled = performance.now();
      await Promise.all([goOn(stage, `${signal}_${time}`), leadsBoth(standby)]);
      moves.push(performance.now() - signalled);
      leader.signal('SIGKILL'); // a frozen process receives no other signal
      leader = standby;
    }
    return moves;
  } finally {
    for (const instance of instances) instance.signal('SIGCONT');
    await Promise.all(instances.map((instance) => instance.stop()));
  }
};

const leadsBoth = async (instance: OpenInstance): Promise<void> => {
  await instance.waitForRole('projector', 'leading');
  await instance.waitForRole('revocations', 'leading');
};

const goOn = async ({ core: { commands, readModels }, home }: Stage, id: string): Promise<void> => {
  const { organizationId } = home;
  const { position } = done(
    await commands.recordAccessRight({ organizationId, id, version: 1, record: accessRight }),
  );
  if (!position || !(await readModels.waitFor(position, 60_000)))
    throw new Error('a minute after the leader was gone the read models had not gone on');
};
