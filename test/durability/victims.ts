import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive, signal } from '../../packages/eventstore-node/src/postgres/processes.ts';
import { until } from '../../src/embedded/until.ts';
import { processesOn } from '../lifecycle/processes.ts';
import type { Running, World } from './world.ts';
import { patience } from '../support/patience.ts';

export const victims = ['service', 'node', 'postmaster', 'all'] as const;
export type Victim = (typeof victims)[number];

/**
 * Kills with SIGKILL and waits for the end of the service, which is at once, or by its own decision when something under
 * it has ended. What else is still dying then is left to the next start.
 * @returns the numbers of all processes of this service
 */
export const kill = async (
  victim: Victim,
  { dataDir }: World,
  { service }: Running,
): Promise<readonly number[]> => {
  const ended = once(service.child, 'exit');
  const family = withDescendants([service.child.pid ?? 0, ...processesOn(dataDir).map(pidOf)]);
  for (const pid of pidsOf(victim, dataDir, service.child.pid ?? 0, family)) signal(pid, 'SIGKILL');
  await ended;
  return family;
};

const pidsOf = (
  victim: Victim,
  dataDir: string,
  service: number,
  family: readonly number[],
): readonly number[] => {
  switch (victim) {
    case 'service':
      return [service];
    case 'node':
      return [oneProcess(dataDir, 'eventstore-node/dist/main.js')];
    case 'postmaster':
      return [oneProcess(dataDir, '/postgres -D')];
    case 'all':
      return family;
  }
};

/** The number of the one process on this folder whose command line holds these words. */
export const oneProcess = (dataDir: string, words: string): number => {
  const [first, ...others] = processesOn(dataDir).filter((line) => line.includes(words));
  if (first === undefined || others.length > 0) throw new Error(`there is not one process "${words}"`);
  return pidOf(first);
};

const pidOf = (line: string): number => Number(line.split(' ')[0]);

/** PostgreSQL's own children name no folder. */
const withDescendants = (pids: readonly number[]): readonly number[] => {
  const parents = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .map((pid) => ({ pid, parent: parentOf(pid) }));
  const family = new Set(pids);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { pid, parent } of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
};

const parentOf = (pid: number): number => {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return Number(afterName.split(' ')[1]);
  } catch {
    return -1; // ended meanwhile
  }
};

/** Those of a killed service that are still there after a while. */
export const survivorsOf = async (family: readonly number[]): Promise<readonly number[]> => {
  await until(() => !family.some(isAlive), patience);
  return family.filter(isAlive);
};
