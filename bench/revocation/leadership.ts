import { accessRight, done } from '../world.ts';
import { openInstance, type OpenInstance } from './instance.ts';
import type { Stage } from './stage.ts';

/**
 * Milliseconds from a kill -9 of the instance that leads the read models, while a second one stands by, until they hold an
 * event that was appended after it. Each time a new instance comes to stand by.
 */
export const timeLeadership = async (stage: Stage, kills: number): Promise<readonly number[]> => {
  const instances: OpenInstance[] = [];
  const open = async () => {
    const instance = await openInstance(stage.env);
    instances.push(instance);
    return instance;
  };
  try {
    const moves: number[] = [];
    let leader = await open();
    for (let kill = 0; kill < kills; kill += 1) {
      await leader.waitForRole('projector', 'leading');
      const standby = await open();
      await standby.waitForRole('projector', 'standby');
      const ended = leader.stop('SIGKILL');
      const killed = performance.now();
      await goOn(stage, `kill_${kill}`);
      moves.push(performance.now() - killed);
      await ended;
      leader = standby;
    }
    return moves;
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
  }
};

const goOn = async ({ core: { commands, readModels }, home }: Stage, id: string): Promise<void> => {
  const { organizationId } = home;
  const { position } = done(
    await commands.recordAccessRight({ organizationId, id, version: 1, record: accessRight }),
  );
  if (!position || !(await readModels.waitFor(position, 60_000)))
    throw new Error('a minute after the kill of the leader the read models had not gone on');
};
