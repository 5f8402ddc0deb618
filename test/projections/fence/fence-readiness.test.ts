import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { makeDatabaseGeneration } from '../../../src/projections/database/database-generation.ts';
import { wayThroughLog } from '../../../src/projections/follow/tell-progress.ts';
import { startFenceReadiness, type FenceReadiness } from '../../../src/projections/fence/fence-readiness.ts';
import { patience } from '../../support/patience.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import {
  projectAll,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { activated, deactivated, profile, tell } from '../follow/a-story.ts';

let side: TestReadModels;
let log: ScriptedLog;
let trust: FenceReadiness | null;
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

/** As a log is that is long: its end is not in sight. */
const endless = (of: ScriptedLog): ScriptedLog => ({
  ...of,
  async *subscribe(options) {
    for await (const message of of.subscribe(options)) if (message.kind !== 'caught-up') yield message;
  },
});

const begin = (logger = quietLogger()) =>
  (trust = startFenceReadiness({
    log,
    progress: side.progress,
    database: makeDatabaseGeneration(),
    logger,
    tellAfterMs: 0,
    tellEveryMs: 20,
    head: () => Promise.resolve({ commit: 60n, prepare: 60n }),
  }));

test('an empty log is trusted as soon as a projector has seen that it is', async () => {
  const { ready, trusted } = begin();
  await expect.poll(() => log.subscriptions()).toBe(1);
  expect(trusted()).toBe(false);
  projector = startTestProjector({ databaseUrl: side.database.url, log });
  await ready;
  expect(trusted()).toBe(true);
});

test('OP-08: while the read models are built anew nothing is served from them, and how far they are is reported, although the fence is current (LI-02)', async () => {
  tell(log, activated(1), profile('P1'), profile('P2'));
  projector = startTestProjector({ databaseUrl: side.database.url, log: endless(log) });
  await side.progress.waitFor({ commit: 30n, prepare: 30n }, patience);
  const asked = vi.spyOn(side.progress, 'complete');
  const logger = quietLogger();
  const { ready, trusted } = begin(logger);
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(1);
  expect(trusted()).toBe(false);
  const told = () => logger.lines.map(({ message, context }) => [message.split(':')[0], context]);
  const way = { commit: '30', head: '60', share: 0.5, perSecond: 0, secondsLeft: null };
  await expect.poll(told).toContainEqual(['the read models are being built', way]);
  await projector.stop();
  projector = startTestProjector({ databaseUrl: side.database.url, log });
  await ready;
  expect(await side.readModels.checkpoint()).toEqual(log.events.at(-1)?.position);
  expect(told().at(-1)).toEqual(['the read models are complete', {}]);
});

test('RS-02, OP-08: the fence is not trusted while an event of it is not applied, which is reported, and is when it is', async () => {
  tell(log, activated(1));
  await projectAll(side.database.url, log);
  tell(log, deactivated(1));
  const logger = quietLogger();
  const { ready, trusted } = begin(logger);
  await expect.poll(() => log.subscriptions()).toBe(2);
  expect(
    await Promise.race([
      ready.then(() => 'ready'),
      side.progress.waitFor({ commit: 20n, prepare: 20n }, 200),
    ]),
  ).toBe(false);
  expect(trusted()).toBe(false);
  await expect
    .poll(() => logger.lines.map(({ message }) => message.split(':')[0]))
    .toContain('the fence catches up with the log');
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

test.each([
  ['half of the way in 10 s', 0n, 500n, 1_000n, 10, { share: 0.5, perSecond: 50, secondsLeft: 10 }],
  ['from where it began', 400n, 500n, 1_000n, 10, { share: 0.5, perSecond: 10, secondsLeft: 50 }],
  ['no event yet', 0n, 0n, 1_000n, 10, { share: 0, perSecond: 0, secondsLeft: null }],
  ['past the head that was asked for', 0n, 1_200n, 1_000n, 10, { share: 1, secondsLeft: 0 }],
  ['an unknown head', 0n, 500n, null, 10, { head: null, share: null, perSecond: 50, secondsLeft: null }],
] as const)('OP-08: rate and time left: %s', (_, from, at, head, seconds, expected) => {
  const position = (commit: bigint | null) => (commit === null ? null : { commit, prepare: commit });
  expect(wayThroughLog(position(from), position(at), position(head), seconds)).toMatchObject(expected);
});
