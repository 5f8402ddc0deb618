import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Projector } from '../../src/projections/projector.ts';
import { startTrust, type Trust } from '../../src/projections/trust.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';
import { projectAll, scriptedLog, startTestProjector, type ScriptedLog } from '../support/test-projector.ts';
import { activated, deactivated, profile, tell } from './a-story.ts';

let side: TestReadModels;
let log: ScriptedLog;
let trust: Trust | null;
let projector: Projector | null;

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  trust = null;
  projector = null;
});
afterEach(async () => {
  await trust?.stop();
  await projector?.stop();
  await side.close();
});

const begin = () => (trust = startTrust({ log, progress: side.progress, logger: quietLogger() }));

test('an empty log is trusted at once', async () => {
  await begin().ready;
  expect(trust?.trusted()).toBe(true);
});

test('the fence is not trusted while an event of it is not applied, and is when it is (RS-02)', async () => {
  tell(log, activated(1));
  await projectAll(side.database.url, log);
  tell(log, deactivated(1));
  const { ready, trusted } = begin();
  await expect.poll(() => log.subscriptions()).toBe(2);
  expect(
    await Promise.race([
      ready.then(() => 'ready'),
      side.progress.waitFor({ commit: 20n, prepare: 20n }, 200),
    ]),
  ).toBe(false);
  expect(trusted()).toBe(false);
  projector = startTestProjector({ databaseUrl: side.database.url, log });
  await ready;
  expect(trusted()).toBe(true);
  expect(await side.fence.read(['activation:O1.A1'])).toMatchObject([{ open: false }]);
});

test('what comes after the last event of the fence, and no projection hears of, is not waited for', async () => {
  tell(log, activated(1));
  await projectAll(side.database.url, log);
  tell(log, profile('P1'));
  log.add('session-S1', { type: 'SessionEnded', data: { at: 1 } });
  await begin().ready;
  expect(trust?.trusted()).toBe(true);
});

test('stopped before, it is never trusted', async () => {
  tell(log, activated(1));
  const { stop, trusted } = begin();
  await stop();
  expect(trusted()).toBe(false);
});
