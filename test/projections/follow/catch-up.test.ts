import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { catchUpOn } from '../../../src/projections/follow/catch-up.ts';
import { readEpochGrants } from '../../../src/projections/access/grants-to-end.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import {
  projectAll,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { activated, deactivated, issued, tell } from './a-story.ts';

let side: TestReadModels;
let log: ScriptedLog;
let projector: Projector | null;

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  projector = null;
});
afterEach(async () => {
  await projector?.stop();
  await side.close();
});

test('DE-04: the grants of an epoch are answered once every code that was in the log is in the rows', async () => {
  tell(log, activated(1), issued('G1'));
  await projectAll(side.database.url, log);
  tell(log, deactivated(1), issued('G2'));
  const grants = readEpochGrants(side.reader, { log, progress: side.progress });
  const { signal } = new AbortController();
  const pages = grants.live({ organizationId: 'O1', addonId: 'A1', epoch: 1 }, signal);
  const asked = pages.next();
  await expect.poll(() => log.subscriptions()).toBe(2);
  tell(log, activated(2));
  projector = startTestProjector({ databaseUrl: side.database.url, log });
  expect((await asked).value).toMatchObject([{ grantId: 'G1' }, { grantId: 'G2' }]);
});

test('a wait that nothing would end is over as soon as it is asked to stop', async () => {
  tell(log, activated(1), issued('G1'));
  const stopping = new AbortController();
  let asked = 0;
  const progress = {
    ...side.progress,
    waitFor: (...given: Parameters<typeof side.progress.waitFor>) => {
      asked += 1;
      return side.progress.waitFor(given[0], 600_000, given[2]);
    },
  };
  const waiting = catchUpOn({ log, progress }, ['AuthorizationCodeIssued'], stopping.signal);
  await expect.poll(() => asked).toBe(1);
  stopping.abort(new Error('asked to stop'));
  await expect(waiting).rejects.toThrow('asked to stop');
});

test('a wait that cannot begin, because the database is away, leaves nothing behind with the signal', async () => {
  const { signal } = new AbortController();
  const away = { ...side.progress, checkpoint: () => Promise.reject(new Error('away')) };
  const waiting = catchUpOn({ log, progress: away }, ['AddonActivated'], signal);
  await expect(waiting).rejects.toThrow('away');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
