import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogSubscriptions, RecordedEvent } from '../../src/eventstore/event-store.ts';
import {
  type BatchReactionDependencies,
  type Handled,
  startBatchReaction,
} from '../../src/reactions/batch-reaction.ts';
import type { LeaderElectedWorker } from '../../src/projections/leadership/leader-elected-worker.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../support/log/read-models.ts';
import { positionOf, scriptedLog, type ScriptedLog } from '../support/log/test-projector.ts';
import { activated, deactivated, tell } from '../projections/follow/a-story.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let side: TestReadModels;
let log: ScriptedLog;
let running: LeaderElectedWorker[];
let logger: ReturnType<typeof quietLogger>;

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  running = [];
  logger = quietLogger();
});
afterEach(async () => {
  await Promise.all(running.map((reaction) => reaction.stop()));
  await side.close();
});

type Handle = (...given: Parameters<BatchReactionDependencies['handle']>) => Promise<void>;

/** What a handler resolves with is said only where it matters. */
const start = (handle: Handle, more: Partial<BatchReactionDependencies> = {}): LeaderElectedWorker =>
  startAs((events, signal) => handle(events, signal).then((): Handled => 'handled'), more);

const startAs = (
  handle: BatchReactionDependencies['handle'],
  more: Partial<BatchReactionDependencies> = {},
): LeaderElectedWorker => {
  const reaction = startBatchReaction({
    databaseUrl: side.database.url,
    log,
    logger,
    name: 'test-batches',
    eventTypes: ['AddonDeactivated'],
    bounds: { pollMs: 20 },
    batchSize: 3,
    handle,
    isSkipped: () => Promise.resolve(false),
    ...more,
  });
  running.push(reaction);
  return reaction;
};

const stored = async () => {
  const { rows } = await side.pool.query<{ commit_position: string | null }>(
    `select commit_position from checkpoints where name = 'test-batches'`,
  );
  return rows[0]?.commit_position ?? null;
};

const revisions = (events: readonly RecordedEvent[]) => events.map(({ revision }) => Number(revision));
/** Ten positions an event, of which every second is a deactivation. */
const cycles = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => [activated(from + n), deactivated(from + n)]).flat();

test('events come in the order of the log, at most a batch at a time, and not again after a restart', async () => {
  const handled: number[][] = [];
  const handle = (events: readonly RecordedEvent[]) => Promise.resolve(void handled.push(revisions(events)));
  tell(log, ...cycles(1, 7));
  const first = start(handle);
  await first.caughtUp;
  await first.stop();
  expect(handled.flat()).toEqual([1, 3, 5, 7, 9, 11, 13]);
  expect(Math.max(...handled.map(({ length }) => length))).toBe(3);
  const second = start(handle);
  await second.caughtUp;
  tell(log, ...cycles(8, 8));
  await expect.poll(() => handled.flat().slice(7)).toEqual([15]);
});

test('a batch that fails is handled again with everything in it, and nothing behind it before', async () => {
  expectTrouble(/starts again after a failure .*away/);
  const handled: number[][] = [];
  let failures = 3;
  tell(log, ...cycles(1, 5));
  const reaction = start((events) => {
    handled.push(revisions(events));
    return failures-- > 0 ? Promise.reject(new Error('away')) : Promise.resolve();
  });
  await reaction.caughtUp;
  const again = handled.slice(1, 4);
  expect(again.every((batch) => batch[0] === 1)).toBe(true);
  expect([...(again[2] ?? []), ...handled.slice(4).flat()]).toEqual([1, 3, 5, 7, 9]);
});

test('OP-02: nothing behind an event that cannot be decoded is handled until it is passed over, and then without it', async () => {
  const damaged: LogSubscriptions = {
    async *subscribe(options) {
      for await (const message of log.subscribe(options))
        yield message.kind === 'event' && message.event.revision === 5n
          ? { kind: 'unreadable', event: { ...message.event, type: 'AddonDeactivated' }, problem: 'damaged' }
          : message;
    },
  };
  const handled: number[][] = [];
  const asked: string[] = [];
  let isSkipped = false;
  tell(log, ...cycles(1, 4));
  const reaction = start((events) => Promise.resolve(void handled.push(revisions(events))), {
    log: damaged,
    isSkipped: (id) => {
      asked.push(id);
      return Promise.resolve(isSkipped);
    },
  });
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  expect([handled.flat(), new Set(asked).size]).toEqual([[1, 3], 1]);
  isSkipped = true;
  await reaction.caughtUp;
  expect(handled.flat()).toEqual([1, 3, 7]);
});

test('the checkpoint of a batch is written only after its handler has returned, and in parallel with the next one', async () => {
  const told: string[] = [];
  let letWrite = () => {};
  const mayWrite = new Promise<void>((resolve) => (letWrite = resolve));
  tell(log, ...cycles(1, 9));
  const reaction = start(
    async (events) => {
      told.push(`begins ${revisions(events).join(' ')}, stored ${await stored()}`);
    },
    {
      batchSize: 1,
      at: async (point) => {
        told.push(point);
        if (point === 'before-checkpoint') await mayWrite;
      },
    },
  );
  await expect.poll(() => told).toContain('begins 3, stored null');
  expect(await stored()).toBeNull();
  // The second batch is done; the third waits until the first one's checkpoint is written.
  expect(told).toEqual(['begins 1, stored null', 'before-checkpoint', 'begins 3, stored null']);
  letWrite();
  await reaction.caughtUp;
  expect(told.find((line) => line.startsWith('begins 5'))).toMatch(/stored [24]0$/);
  expect(await stored()).toBe(String(positionOf(180).commit));
});

test('what is not its own moves the checkpoint without its handler, and without a statement for each message', async () => {
  let writes = 0;
  tell(log, activated(1));
  const handled: number[][] = [];
  const reaction = start((events) => Promise.resolve(void handled.push(revisions(events))), {
    at: async (point) => {
      if (point === 'before-checkpoint') writes += 1;
      while (point === 'before-checkpoint' && log.events.length < 2)
        await new Promise((resolve) => setImmediate(resolve));
    },
  });
  await reaction.caughtUp;
  for (let n = 100; n < 200; n += 1) {
    log.checkpoint(positionOf(n));
    await new Promise((resolve) => setImmediate(resolve));
  }
  tell(log, activated(2)); // now the first write may go on
  log.checkpoint(positionOf(300));
  await expect.poll(stored).toBe('300');
  expect(handled).toEqual([]);
  expect(writes).toBeLessThan(5);
});

test('a handler that hangs keeps no stop waiting, is asked to begin nothing more, and its batch comes again', async () => {
  const signals: AbortSignal[] = [];
  const hanging = start((_events, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  tell(log, ...cycles(1, 1));
  await expect.poll(() => signals.length).toBe(1);
  await hanging.stop();
  expect(signals[0]?.aborted).toBe(true);
  const handled: number[] = [];
  await start((events) => Promise.resolve(void handled.push(...revisions(events)))).caughtUp;
  expect(handled).toEqual([1]);
});

test('who finds the checkpoint moved by another one handles nothing more under that lease, and goes on from there', async () => {
  const handled: number[][] = [];
  let disturb = true;
  tell(log, ...cycles(1, 3));
  const reaction = start(
    async (events, signal) => {
      handled.push(revisions(events));
      if (handled.length === 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    {
      batchSize: 1,
      at: async (point) => {
        if (point !== 'before-checkpoint' || !disturb) return;
        disturb = false;
        await side.pool.query(
          `update checkpoints set commit_position = 40, prepare_position = 40 where name = 'test-batches'`,
        );
      },
    },
  );
  await reaction.caughtUp;
  expect(handled).toEqual([[1], [3], [5]]);
  expect(logger.lines.map(({ message }) => message)).toContain('lost leadership, on standby');
});

test('a handler that steps down lets another instance lead; that is no failure', async () => {
  const handled: string[] = [];
  tell(log, ...cycles(1, 1));
  const first = startAs(() => Promise.resolve('stepped-down'));
  await expect.poll(() => logger.lines.length).toBeGreaterThan(3); // leads, again and again
  const second = start((events) => Promise.resolve(void handled.push(...revisions(events).map(String))));
  await second.caughtUp;
  expect(handled).toEqual(['1']);
  expect(first.status()).toMatchObject({ role: 'standby', healthy: true });
  expect(new Set(logger.lines.map(({ level, message }) => `${level} ${message}`))).toEqual(
    new Set(['info leads']),
  );
});
