import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WorkerStatus } from '../../src/projections/leadership/leader-elected-worker.ts';
import {
  makeReadReadiness,
  patience,
  type ReadinessSources,
} from '../../src/observability/readiness/read-readiness.ts';

const standby: WorkerStatus = {
  role: 'standby',
  healthy: true,
  caughtUp: false,
  position: null,
  stuckAt: null,
};
const well = { trouble: null, isUntried: false, ahead: 0 };
const answer =
  <T>(value: T) =>
  () =>
    Promise.resolve(value);

const sources: ReadinessSources = {
  eventStore: answer(null),
  database: answer(null),
  servers: answer({ eventStore: well, database: well }),
  parked: answer([]),
  lostKeys: answer(0),
  deposits: answer([]),
  signInProviders: answer([]),
  workers: () => ({ projector: standby }),
  kafka: () => null,
  mail: () => null,
};
const readinessWith = (changed: Partial<ReadinessSources>) => makeReadReadiness({ ...sources, ...changed })();
const hangs = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('away'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('is ready while both servers answer', async () => {
  expect(await readinessWith({})).toMatchObject({ ready: true, degraded: false });
});

test('a server that refuses is not reached, and neither is one that is silent: nobody waits for it', async () => {
  expect(await readinessWith({ eventStore: fails })).toMatchObject({
    ready: false,
    checks: { eventStore: 'unreachable', database: 'ok' },
  });
  const asked = readinessWith({ database: hangs });
  await vi.advanceTimersByTimeAsync(patience);
  expect(await asked).toMatchObject({ ready: false, checks: { eventStore: 'ok', database: 'unreachable' } });
});

test('counts are summed, and one that cannot be asked for makes nothing degraded', async () => {
  const count = { checkpoint: 'read-models', projection: 'lists', events: 5 };
  const parked = answer([
    { ...count, keys: 1 },
    { ...count, keys: 2 },
  ]);
  const deposits = answer([{ waiting: 1 }, { waiting: 3 }]);
  expect(await readinessWith({ parked, deposits })).toMatchObject({
    ready: true,
    degraded: true,
    checks: {
      parked: '3 keys: see grantbook parked list',
      headDeposits: '4 waiting: see grantbook audit deposits',
    },
  });
  expect(await readinessWith({ parked: fails, lostKeys: fails, deposits: fails })).toMatchObject({
    ready: true,
    degraded: false,
  });
});
