import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventType } from '../../../src/domain/events.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { grants } from '../../../src/projections/access/grants.ts';
import type { LeaderElectedWorker } from '../../../src/projections/leadership/leader-elected-worker.ts';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import { startReaction } from '../../../src/reactions/reaction.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { serverOf, urlThrough } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts';
import {
  projectAll,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { activated, deactivated, profile, tell, wholeStory } from './a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let side: TestReadModels;
let wire: TcpProxy;
let log: ScriptedLog;
let logger: ReturnType<typeof quietLogger>;
let running: LeaderElectedWorker[];

beforeEach(async () => {
  side = await testReadModels();
  wire = await startTcpProxy(serverOf(side.database.url));
  log = scriptedLog();
  logger = quietLogger();
  running = [];
});
afterEach(async () => {
  wire.cut();
  await Promise.all(running.map((led) => led.stop()));
  await wire.close();
  await side.close();
});

const bounds = { heartbeatMs: 100, silenceMs: 3_000, pollMs: 20 };
const overTheWire = () => urlThrough(wire, side.database.url);
const keep = <T extends LeaderElectedWorker>(led: T): T => {
  running.push(led);
  return led;
};
const warnings = () => logger.lines.filter(({ level }) => level !== 'info').map(({ message }) => message);
const roles = (...leds: readonly LeaderElectedWorker[]) => leds.map((led) => led.status().role);

/** Freezes the wire in the middle of the transaction of the first batch with such an event. */
const freezingAt = (type: EventType): Projection => {
  let isOver = false;
  return {
    name: 'freezing',
    eventTypes: [type],
    begin: () => {
      let isNow = false;
      return {
        apply: ({ event }) => void (isNow ||= event.type === type && !isOver),
        write: () => {
          if (isNow) wire.freeze();
          isOver ||= isNow;
          return Promise.resolve();
        },
      };
    },
  };
};

test('a leader that is frozen in the middle of a batch is followed, and writes nothing when it wakes up', async () => {
  tell(log, ...wholeStory());
  await projectAll(side.database.url, log);
  const uninterrupted = await side.dump();
  await side.clear();

  const middle = readModelProjections.indexOf(grants);
  const projections = [
    ...readModelProjections.slice(0, middle),
    freezingAt('AuthorizationCodeRedeemed'), // the checkpoint has been moved, the rows of the grants have not
    ...readModelProjections.slice(middle),
  ];
  const zombie = keep(
    startTestProjector({ databaseUrl: overTheWire(), log, logger, bounds, projections, batchSize: 7 }),
  );
  await expect.poll(() => zombie.status().position).not.toBeNull();
  const next = keep(startTestProjector({ databaseUrl: side.database.url, log, bounds }));
  await next.caughtUp;
  wire.thaw();
  await expect.poll(warnings).toEqual(['lost leadership, on standby']);
  await expect.poll(() => roles(zombie, next)).toEqual(['standby', 'leading']);
  expect(await side.dump()).toEqual(uninterrupted);
});

test('a leader whose network is cut finds out by itself, and stands by again when the network is back', async () => {
  tell(log, profile('P1'));
  const cutOff = keep(startTestProjector({ databaseUrl: overTheWire(), log, logger, bounds }));
  await cutOff.caughtUp;
  const other = keep(startTestProjector({ databaseUrl: side.database.url, log, bounds }));
  wire.freeze();
  await other.caughtUp;
  await expect.poll(() => roles(cutOff, other)).toEqual(['standby', 'leading']);
  expect(warnings()).toEqual(['lost leadership, on standby']);
  wire.cut();
  await other.stop();
  tell(log, profile('P2'));
  await expect.poll(() => roles(cutOff, other)).toEqual(['leading', 'stopped']);
});

test("an event in whose handling the leader is cut off is the next leader's too; the first moves no checkpoint", async () => {
  const handled: string[] = [];
  let release = () => {};
  const react = (name: string, databaseUrl: string, before: (signal: AbortSignal) => Promise<void>) =>
    keep(
      startReaction({
        databaseUrl,
        log,
        logger,
        name: 'test-reaction',
        eventTypes: ['AddonDeactivated'],
        bounds,
        handle: async ({ revision }: RecordedEvent, signal) => {
          await before(signal);
          handled.push(`${name}${revision}${signal.aborted ? ' leads no longer' : ''}`);
        },
      }),
    );
  tell(log, activated(1), deactivated(1), activated(2), deactivated(2));
  const first = react('first', overTheWire(), (signal) => {
    wire.freeze();
    return new Promise((resolve) => {
      release = resolve;
      signal.addEventListener('abort', () => handled.push('first is told'));
    });
  });
  await expect.poll(() => roles(first)).toEqual(['leading']);
  const second = react('second', side.database.url, () => Promise.resolve());
  await second.caughtUp;
  await expect.poll(() => roles(first, second)).toEqual(['standby', 'leading']);
  expect(handled, 'it is notified, and nobody waits for it').toContain('first is told');
  wire.thaw();
  release();
  await expect.poll(() => roles(first, second)).toEqual(['standby', 'leading']);
  expect(handled.filter((entry) => entry !== 'first is told')).toEqual([
    'second1',
    'second3',
    'first1 leads no longer',
  ]);
  const { rows } = await side.pool.query(
    `select lease_epoch from checkpoints where name = 'test-reaction' and commit_position = 40`,
  );
  expect(rows).toEqual([{ lease_epoch: '2' }]);
});

test('an instance that stands by is well again as soon as it reaches the database again, without ever leading', async () => {
  expectTrouble(/^error: starts again after a failure .*ECONNREFUSED/);
  const leader = keep(startTestProjector({ databaseUrl: side.database.url, log }));
  await leader.caughtUp;
  const standby = keep(
    startTestProjector({ databaseUrl: overTheWire(), log, logger, bounds: { pollMs: 20 } }),
  );
  await wire.close(); // nobody listens there any more
  await expect.poll(() => standby.status().healthy).toBe(false);
  wire = await startTcpProxy(serverOf(side.database.url), wire.port);
  await expect.poll(() => standby.status().healthy).toBe(true);
  expect(roles(leader, standby)).toEqual(['leading', 'standby']);
});
