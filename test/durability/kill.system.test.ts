import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../src/embedded/until.ts';
import { processesOn } from '../lifecycle/processes.ts';
import { stopService } from '../lifecycle/service.ts';
import { type Acknowledged, nothingYet } from './acknowledged.ts';
import { findLosses } from './checks.ts';
import { seed } from '../support/seed.ts';
import { seededRandom } from './random.ts';
import { expectSameAsRebuilt } from './rebuild.ts';
import { kill, survivorsOf, type Victim, victims } from './victims.ts';
import { startWork } from './work.ts';
import { makeWorld, type Running, startOn, type World } from './world.ts';
import { isRelease } from '../support/tiers.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';

allowTrouble(...serverKilled);

// In test/lifecycle a whole service is killed and started again; here the database as well, and everything at once.
test('a kill -9 of the service, the node, the postmaster or all of them loses nothing that was acknowledged, and the next start recovers by itself', async () => {
  const random = seededRandom(seed);
  const { world, running: first } = await makeWorld();
  let running = first; // what one round has recovered is killed in the next one
  for (const victim of isRelease ? victims : (['postmaster', 'all'] as const)) {
    process.stderr.write(`killing ${victim}\n`);
    running = await playRound(victim, world, running, random);
  }
  await running.beside.close();
  expect(await stopService(running.service, 'SIGTERM')).toBe(0);
  expect(processesOn(world.dataDir)).toEqual([]);
  await world.close();
});

/** Works, kills at a random moment, starts again, and looks for what is missing. */
const playRound = async (
  victim: Victim,
  world: World,
  running: Running,
  random: () => number,
): Promise<Running> => {
  const told = nothingYet();
  const work = startWork(world, running, told);
  expect(await until(() => isWarm(told), 60_000), `all clients are at work, before ${victim}`).toBe(true);
  await sleep(1_000 * random());
  work.expectTheEnd();
  const family = await kill(victim, world, running);
  const next = await startOn(world.dataDir);
  await running.beside.close(); // the import would ask the old address for a while
  await work.ended;
  expect(await survivorsOf(family), 'processes of the killed service').toEqual([]);
  expect(await findLosses(world, next, told), `a kill of ${victim}`).toEqual([]);
  await expectSameAsRebuilt(world.dataDir);
  return next;
};

/** Everybody was answered something, so that there is something to lose. */
const isWarm = ({ chains, codes, dead, records, surprises }: Acknowledged): boolean =>
  surprises.length > 0 ||
  (chains.some(({ answered }) => answered.length > 3) &&
    [...codes].some(({ asked }) => !asked) &&
    dead.length > 0 &&
    records.size > 50);
