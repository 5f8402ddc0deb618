import { expect, onTestFinished, test } from 'vitest';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { makeLogWatch } from '../../src/projections/log-guard/watch-log.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

const at = (commit: bigint) => ({ commit, prepare: commit });

/** A log whose newest event is at 5 while a checkpoint is at 9, until its leader is confirmed. */
const scene = (confirm: () => Promise<{ readonly head: bigint }>) => {
  const logger = quietLogger();
  let head = 5n;
  const counts = { confirmed: 0, compared: 0 };
  const running = makeLogWatch({ logger, patienceMs: 1, againMs: 1 });
  const rows = [{ name: 'read-models', commit_position: '9', prepare_position: '9' }];
  const watch = running.start({
    log: {
      head: () => (counts.compared++, Promise.resolve(at(head))),
      readStored: () => Promise.resolve([]),
      isUnreleased: () => Promise.resolve(false),
      async confirmLeader() {
        counts.confirmed += 1;
        ({ head } = await confirm());
      },
    },
    reader: { query: ({ name }) => Promise.resolve((name === 'all-checkpoints' ? rows : []) as never[]) },
  });
  onTestFinished(() => watch.stop());
  let lost: string | null = null;
  void watch.lost.then((sentence) => (lost = sentence));
  running.resumed();
  const alarms = () => logger.lines.filter(({ context }) => (context as { alarm?: boolean }).alarm);
  return { watch, counts, alarms, lost: () => lost };
};

test('FX-42: what a deposed leader lacks is no log that went back: compared again once the leader is confirmed', async () => {
  const { watch, counts, alarms, lost } = scene(() => Promise.resolve({ head: 9n }));
  await expect.poll(() => counts.compared).toBe(2);
  await watch.stop();
  expect([counts.confirmed, watch.agrees(), alarms(), lost()]).toEqual([1, true, [], null]);
});

test('FX-42: while most of the cluster confirm no leader, nothing is concluded, and it is asked again and again', async () => {
  expectTrouble(/cannot compare the log .*two leaders/);
  const { watch, counts, alarms, lost } = scene(() =>
    Promise.reject(new EventStoreUnavailable('two leaders')),
  );
  await expect.poll(() => counts.confirmed).toBeGreaterThan(3);
  expect([watch.agrees(), alarms(), lost()]).toEqual([true, [], null]);
});

test('FX-42: a log that still lacks events after its leader was confirmed has gone back: no token is accepted, and the process ends', async () => {
  expectTrouble(/the event store seems to have gone back/);
  const { watch, counts, alarms, lost } = scene(() => Promise.resolve({ head: 5n }));
  await expect.poll(lost).toContain('does not have the log');
  expect(watch.agrees()).toBe(false);
  expect(alarms()).toHaveLength(1);
  expect(counts.confirmed).toBe(2);
});
