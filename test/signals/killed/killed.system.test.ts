import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeNoteSwap } from '../../../src/commands/log/note-swap.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import { notifyStream } from '../../../src/signals/set-queue.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { renew } from '../../support/log/renew-read-model.ts';
import type { Direction, Words } from '../../support/servers/tcp-proxy.ts';
import { openStage, often, other, type Place, places, type Stage } from './stage.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';
import { serverKilled } from '../../support/trouble/server-killed.ts';

allowTrouble(...serverKilled);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.change();
  await stage.untilTold();
});
afterAll(() => stage.close());

/** Waits until both add-ons know everything. @returns what must not have come */
const finish = async (): Promise<readonly string[]> => {
  await stage.untilTold();
  return [...stage.polled.told.wrong, ...stage.pushed.told.wrong];
};

/** Waits until an instance has come to the point, and lets the other one go on. */
const untilFrozen = async (kind: 'database' | 'log'): Promise<Place> => {
  const reached = () => places.filter((place) => stage.wires[kind][place].isFrozen());
  await expect.poll(reached, often).toHaveLength(1);
  const place = reached()[0] ?? 0;
  stage.wires[kind][other(place)].thaw();
  return place;
};

const leaderOfPushes = async (): Promise<Place> => {
  const roles = () => Promise.all(places.map((place) => stage.roleOf(place, 'signalPush')));
  await expect.poll(async () => new Set(await roles()), often).toEqual(new Set(['leading', 'standby']));
  return (await roles())[0] === 'leading' ? 0 : 1;
};

const killAndGoOn = async (place: Place, changing: Promise<void>) => {
  await stage.kill(place);
  await stage.note();
  await changing;
  const wrong = await finish();
  await stage.restart(place);
  return wrong;
};

/** The request of a transaction that ends, as PostgreSQL reads it. */
const commit = 'commit\0';

/** An instance passes it when it sends the last of the words; frozen answers let that pass, and nothing comes back. */
type Point = {
  readonly point: string;
  readonly words: (stage: Stage) => readonly Words[];
  readonly frozen: Direction;
};

const points: readonly Point[] = [
  {
    point: 'the worker that queues SETs has them',
    words: () => ['queue-signal-sets'],
    frozen: 'requests',
  },
  {
    point: 'they are queued, and the worker does not know it',
    words: () => ['queue-signal-sets', commit],
    frozen: 'answers',
  },
  {
    point: 'what is due is found, and the pushes have not begun',
    words: ({ pushed }) => [['due-signal-pushes', pushed.streamId]],
    frozen: 'answers',
  },
  {
    point: 'the receiver has answered 202, and nothing is noted',
    words: ({ pushed }) => [['end-signal-sets', pushed.streamId]],
    frozen: 'requests',
  },
  {
    point: 'the 202 is noted, and not committed',
    words: ({ pushed }) => [['count-delivered-signal-sets', pushed.streamId]],
    frozen: 'answers',
  },
  {
    point: 'the note is committed, and the pushing instance does not know it',
    words: ({ pushed }) => [['end-signal-sets', pushed.streamId], commit],
    frozen: 'answers',
  },
  {
    point: 'an acknowledgement by poll has come, and is not written',
    words: ({ polled }) => [['end-signal-sets', polled.streamId]],
    frozen: 'requests',
  },
  {
    point: 'an acknowledgement by poll is committed, and the poll is not answered',
    words: ({ polled }) => [['end-signal-sets', polled.streamId], commit],
    frozen: 'answers',
  },
];

describe('SG-11: nothing is lost, order is kept, repeats have the same jti, and nothing that was acknowledged comes again', () => {
  test.each(points.map((one) => [one.point, one] as const))(
    'when an instance is killed where %s',
    async (_point, { words, frozen }) => {
      for (const wire of stage.wires.database) wire.freezeFrom(words(stage), frozen);
      const changing = stage.change();
      expect(await killAndGoOn(await untilFrozen('database'), changing)).toEqual([]);
    },
  );

  test('when an instance is killed where the receiver has read a SET, and has not answered', async () => {
    const place = await leaderOfPushes();
    const before = stage.receiver.held.length;
    stage.receiver.fates.push('hold');
    const changing = stage.change();
    await expect.poll(() => stage.receiver.held.length, often).toBe(before + 1);
    expect(await killAndGoOn(place, changing)).toEqual([]);
  });

  test.each([
    ['has to pause a stream whose pushes fail', 'requests'],
    ['has paused it, and does not know that', 'answers'],
  ] as const)('when an instance is killed that %s; it is paused once', async (_point, frozen) => {
    const { core, pushed, receiver, wires } = stage;
    const pauses = pushed.told.ofStream();
    receiver.usually = 'refuse';
    const changing = stage.change();
    const failing = `update signal_sets set due_at = null, failing_since = now() - interval '73 hours'
                       where stream_id = $1 and waiting and attempts > 0`;
    const { streamId, addonId } = pushed;
    await changing;
    for (const wire of wires.log)
      wire.freezeFrom([`signalStream-${addonId}`, 'SignalStreamStatusChanged'], frozen);
    const failed = async () => (await core.pool.query(failing, [streamId])).rowCount;
    await expect.poll(failed, often).toBeGreaterThan(0);
    await core.pool.query(notifyStream.text, [streamId]);
    const place = await untilFrozen('log');
    await stage.kill(place);
    const status = async () =>
      (await core.pool.query('select status from signal_streams where stream_id = $1', [streamId])).rows;
    await expect.poll(status, often).toEqual([{ status: 'paused' }]);
    receiver.usually = 'take';
    const resume = { streamId, caller: 'addon', status: 'enabled', reason: null, by: 'receiver' } as const;
    await core.commands.setSignalStreamStatus(resume);
    expect(await finish()).toEqual([]);
    expect(pushed.told.ofStream()).toBe(pauses + 1);
    await stage.restart(place);
  });

  test('when the instance that pushes stands still with what is due, and goes on when another one has pushed it', async () => {
    const { wires } = stage;
    const place = await leaderOfPushes();
    wires.database[place].freezeFrom([['due-signal-pushes', stage.pushed.streamId]], 'answers');
    const changing = stage.change();
    await expect.poll(() => wires.database[place].isFrozen(), often).toBe(true);
    stage.signal(place, 'SIGSTOP');
    wires.database[place].thaw();
    await changing;
    expect(await finish()).toEqual([]);
    stage.signal(place, 'SIGCONT');
    await expect.poll(() => stage.roleOf(place, 'signalPush'), often).toBe('standby');
    await stage.change();
    expect(await finish()).toEqual([]);
  });

  test('when the instance that pushes stands still, and reads the 202 when another one has pushed what follows', async () => {
    const { receiver } = stage;
    const place = await leaderOfPushes();
    const before = receiver.held.length;
    receiver.fates.push('hold');
    const changing = stage.change();
    await expect.poll(() => receiver.held.length, often).toBe(before + 1);
    stage.signal(place, 'SIGSTOP');
    await changing;
    expect(await finish()).toEqual([]);
    receiver.held[before]?.writeHead(202).end();
    stage.signal(place, 'SIGCONT');
    await expect.poll(() => stage.roleOf(place, 'signalPush'), often).toBe('standby');
    await stage.change();
    expect(await finish()).toEqual([]);
  });

  test.each(['database', 'log'] as const)('when the %s is away', async (kind) => {
    const [first, second] = stage.wires[kind];
    await Promise.all([first.leave(), second.leave()]);
    await stage.change();
    await Promise.all([first.comeBack(), second.comeBack()]);
    expect(await finish()).toEqual([]);
  });

  test('when the receiver dies before, in the head of, and in the body of its 202', async () => {
    const { receiver, change } = stage;
    const before = receiver.received;
    receiver.fates.push('die-unanswered', 'die-in-head', 'die-in-body');
    await change();
    expect(await finish()).toEqual([]);
    expect(receiver.received - before, 'six, and two of them again: a head with 202 is an answer').toBe(8);
  });

  test('when every read model is rebuilt and swapped in', async () => {
    const { core, databaseUrl } = stage;
    const { signal } = new AbortController();
    const { store } = core;
    const noteSwap = makeNoteSwap({ store });
    const needs = { databaseUrl, log: store, noteSwap, logger: quietLogger(), now: Date.now, signal };
    for (const { name } of rebuildables) await renew(needs, name);
    await stage.change();
    expect(await finish()).toEqual([]);
  });
});
