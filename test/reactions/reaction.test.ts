import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import type { LeaderElectedWorker } from '../../src/projections/leadership/leader-elected-worker.ts';
import { startReaction, type ReactionDependencies } from '../../src/reactions/reaction.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../support/log/read-models.ts';
import { scriptedLog, type ScriptedLog } from '../support/log/test-projector.ts';
import { activated, deactivated, tell } from '../projections/follow/a-story.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let side: TestReadModels;
let log: ScriptedLog;
let running: LeaderElectedWorker[];

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((reaction) => reaction.stop()));
  await side.close();
});

const start = (handle: ReactionDependencies['handle']): LeaderElectedWorker => {
  const reaction = startReaction({
    databaseUrl: side.database.url,
    log,
    logger: quietLogger(),
    name: 'test-reaction',
    eventTypes: ['AddonDeactivated'],
    bounds: { pollMs: 20 },
    handle,
  });
  running.push(reaction);
  return reaction;
};

test('each event of its types is handled in order, one after the other, and not again after a restart', async () => {
  const handled: string[] = [];
  const handle = async (event: RecordedEvent) => {
    handled.push(`begin ${event.revision}`);
    await Promise.resolve();
    handled.push(`end ${event.revision}`);
  };
  tell(log, activated(1), deactivated(1), activated(2), deactivated(2));
  const first = start(handle);
  await first.caughtUp;
  await first.stop();
  const second = start(handle);
  await second.caughtUp;
  expect(handled).toEqual(['begin 1', 'end 1', 'begin 3', 'end 3']);
  tell(log, activated(3), deactivated(3));
  await expect.poll(() => handled.at(-1)).toBe('end 5');
});

test('an event whose handling fails is handled again until it works, and nothing behind it is handled before', async () => {
  expectTrouble(/starts again .*the log cannot be reached/);
  const handled: bigint[] = [];
  let failures = 3;
  tell(log, deactivated(1), activated(2), deactivated(2));
  const reaction = start(({ revision }) => {
    if (failures-- > 0) return Promise.reject(new Error('the log cannot be reached'));
    handled.push(revision);
    return Promise.resolve();
  });
  await reaction.caughtUp;
  expect(handled).toEqual([0n, 2n]);
});

test('an event whose handling stops half-way with its instance is handled again by the next one', async () => {
  const handled: string[] = [];
  tell(log, deactivated(1));
  const first = start(async (_event, signal) => {
    handled.push('half');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  await expect.poll(() => handled).toEqual(['half']);
  await first.stop();
  await start(() => Promise.resolve(void handled.push('whole'))).caughtUp;
  expect(handled).toEqual(['half', 'whole']);
});

test('a handler that waits for something keeps no stop waiting, and its event is handled again', async () => {
  const signals: AbortSignal[] = [];
  const hanging = start((_event, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  tell(log, deactivated(1));
  await expect.poll(() => signals.length).toBe(1);
  await hanging.stop();
  expect(signals[0]?.aborted).toBe(true);
  const handled: bigint[] = [];
  await start(({ revision }) => Promise.resolve(void handled.push(revision))).caughtUp;
  expect(handled).toEqual([0n]);
});

test('one instance handles at a time', async () => {
  const handled: string[] = [];
  const instances = ['a', 'b'].map((name) =>
    start(({ revision }) => Promise.resolve(void handled.push(`${name}${revision}`))),
  );
  await Promise.race(instances.map(({ caughtUp }) => caughtUp));
  tell(log, deactivated(1), activated(2), deactivated(2));
  await expect.poll(() => handled.length).toBe(2);
  expect(new Set(handled.map((entry) => entry[0])).size).toBe(1);
});
