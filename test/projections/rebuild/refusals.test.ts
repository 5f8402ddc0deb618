import { afterAll, describe, expect, test } from 'vitest';
import type { LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { status } from '../../../src/projections/rebuild/status.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { announceSwaps } from '../../../src/projections/rebuild/versions.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { organization, wholeStory } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

const scene = await rebuildScene();
await scene.tell(...wholeStory());
await scene.settle();
afterAll(() => scene.close());

const code = (refusal: string) => expect.objectContaining({ code: refusal });
const othersOf = async (name: string) =>
  (await status(scene.needs.databaseUrl)).find((one) => one.name === name)?.others ?? [];
const publicRows = async () => {
  const { checkpoints: _moving, ...rows } = await scene.side.dump();
  return rows;
};

/** A log that stops after so many events, until it is asked to go on. */
const heldAfter = (count: number) => {
  let reached = () => {};
  let release = () => {};
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  let seen = 0;
  const subscribe: LogSubscriptions['subscribe'] = async function* (options) {
    for await (const message of scene.store.subscribe(options)) {
      if (message.kind === 'event' && (seen += 1) > count) {
        reached();
        await Promise.race([
          released,
          new Promise((resolve) => options.signal.addEventListener('abort', resolve)),
        ]);
        if (options.signal.aborted) return;
      }
      yield message;
    }
  };
  return { log: { ...scene.store, subscribe }, isReached, release };
};

describe('bad input', () => {
  test('names and versions that are none, and what is not there yet', async () => {
    const { needs } = scene;
    await expect(rebuild(needs, { name: 'reservations' })).rejects.toThrow(
      /allowed: organizations, accounts/,
    );
    await expect(verify(needs, { name: 'accounts' })).rejects.toEqual(code('nothing-built'));
    await expect(swap(needs, { name: 'accounts' })).rejects.toEqual(code('nothing-built'));
    await expect(swap(needs, { name: 'accounts', version: 1 })).rejects.toEqual(code('version-live'));
    await expect(drop(needs, { name: 'accounts', version: 1 })).rejects.toEqual(code('version-live'));
    await expect(drop(needs, { name: 'accounts', version: 2 })).rejects.toEqual(code('version-unknown'));
    await expect(rebuild(needs, { name: 'accounts', version: 7 })).rejects.toEqual(code('version-unknown'));
    await expect(rebuild(needs, { name: 'accounts', version: 1 })).rejects.toEqual(code('version-live'));
    expect(await othersOf('accounts')).toEqual([]);
  });

  test('what was never verified, or differs, is swapped only by who says so', async () => {
    await rebuild(scene.needs, { name: 'addons' });
    await expect(swap(scene.needs, { name: 'addons' })).rejects.toEqual(code('unverified'));
    await scene.side.pool.query(`update public_addons_v2.addons set name = 'Better'`);
    expect((await verify(scene.needs, { name: 'addons' })).differences).toHaveLength(1);
    await expect(swap(scene.needs, { name: 'addons' })).rejects.toEqual(code('different'));
    await swap(scene.needs, { name: 'addons', unverified: true });
    await expect(drop(scene.needs, { name: 'addons', version: 2 })).rejects.toEqual(code('version-live'));
    await drop(scene.needs, { name: 'addons', version: 1 });
  });

  test('a table that a migration has changed since is not swapped in', async () => {
    await rebuild(scene.needs, { name: 'consents' });
    await verify(scene.needs, { name: 'consents' });
    await scene.side.pool.query('alter table consents add column later text');
    await expect(swap(scene.needs, { name: 'consents' })).rejects.toEqual(code('tables-changed'));
    await scene.side.pool.query('alter table consents drop column later');
    await drop(scene.needs, { name: 'consents', version: 2 });
  });
});

describe('in the middle', () => {
  test.each(['interrupted', 'killed'])('a rebuild that is %s goes on where it was', async (how) => {
    const { log, isReached } = heldAfter(3);
    const stop = new AbortController();
    const needs = { ...scene.needs, log, signal: stop.signal };
    const running = rebuild(needs, { name: 'grants', batchSize: 1 }).catch((error: unknown) => error);
    await isReached;
    await expect.poll(async () => (await othersOf('grants'))[0]?.position).not.toBeNull();
    // A second one is told, and leaves the first alone.
    await expect(rebuild(scene.needs, { name: 'grants' })).rejects.toEqual(code('busy'));
    await expect(verify(scene.needs, { name: 'grants' })).rejects.toEqual(code('busy'));
    expect((await status(scene.needs.databaseUrl)).find(({ name }) => name === 'grants')?.busy).toBe(true);
    if (how === 'interrupted') stop.abort();
    else
      await scene.side.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'grantbook rebuild:grants' and datname = current_database()`,
      );
    const ended = await running;
    expect(ended).toMatchObject(how === 'interrupted' ? { code: 'interrupted' } : { name: 'ConnectionLost' });
    await expect(verify(scene.needs, { name: 'grants' })).rejects.toEqual(code('version-not-built'));
    await expect(swap(scene.needs, { name: 'grants' })).rejects.toEqual(code('version-not-built'));

    const again: string[] = [];
    const subscribe: LogSubscriptions['subscribe'] = (options) => {
      again.push(String(options.after?.commit));
      return scene.store.subscribe(options);
    };
    await rebuild({ ...scene.needs, log: { ...scene.store, subscribe } }, { name: 'grants' });
    expect(Number(again[0])).toBeGreaterThan(0);
    expect((await verify(scene.needs, { name: 'grants' })).differences).toEqual([]);
    await drop(scene.needs, { name: 'grants', version: 2 });
  });
});

describe('a swap', () => {
  test('that is far behind is refused with how many events, and done when they are few', async () => {
    const { needs } = scene;
    await rebuild(needs, { name: 'organizations' });
    await verify(needs, { name: 'organizations' });
    await scene.tell(...['B1', 'B2', 'B3', 'B4'].map((id) => organization(id)));
    await scene.settle();
    const before = await publicRows();
    await expect(swap(needs, { name: 'organizations', mostBehind: 3 })).rejects.toThrow('4 events behind');
    expect(await publicRows()).toEqual(before);
    await swap(needs, { name: 'organizations', mostBehind: 4 });
    expect(await publicRows()).toEqual(before);
  });

  test('whose process dies is announced by whoever comes next, once, at its own time', async () => {
    await rebuild(scene.needs, { name: 'organizations', version: 3 });
    await verify(scene.needs, { name: 'organizations' });
    const told = scene.swaps().length;
    const dies = { at: () => Promise.reject(new Error('killed')) };
    await expect(
      swap(scene.needs, {
        name: 'organizations',
        at: (point) => (point === 'after-commit' ? dies.at() : undefined),
      }),
    ).rejects.toThrow('killed');
    expect(scene.swaps()).toHaveLength(told);
    await Promise.all([announceSwaps(scene.needs), announceSwaps(scene.needs)]);
    await announceSwaps(scene.needs);
    expect(scene.swaps().slice(told)).toMatchObject([
      { projection: 'organizations', version: 3, previousVersion: 2 },
    ]);
  });

  test('that fails before its end has changed nothing', async () => {
    await rebuild(scene.needs, { name: 'organizations', version: 4 });
    await verify(scene.needs, { name: 'organizations' });
    const [before, versions] = [await publicRows(), await othersOf('organizations')];
    const fails = (point: string) =>
      point === 'before-commit' ? Promise.reject(new Error('power')) : undefined;
    await expect(swap(scene.needs, { name: 'organizations', at: fails })).rejects.toThrow('power');
    expect(await publicRows()).toEqual(before);
    expect((await othersOf('organizations')).map(({ version, state }) => [version, state])).toEqual(
      versions.map(({ version, state }) => [version, state]),
    );
    await swap(scene.needs, { name: 'organizations' });
  });

  test('of two at once one is done and the other refused', async () => {
    await rebuild(scene.needs, { name: 'activations' });
    await verify(scene.needs, { name: 'activations' });
    const outcomes = await Promise.allSettled([
      swap(scene.needs, { name: 'activations' }),
      swap(scene.needs, { name: 'activations' }),
    ]);
    expect(outcomes.map(({ status: outcome }) => outcome).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(scene.swaps().filter(({ projection }) => projection === 'activations')).toHaveLength(1);
  });
});

describe('the fence', () => {
  test('P1: is never lowered by a rebuild that lags, and gets what it lacks', async () => {
    const { pool } = scene.side;
    await rebuild(scene.needs, { name: 'activation-fence' });
    await verify(scene.needs, { name: 'activation-fence' });
    // A command has closed an activation, and the projections have not come to it yet.
    const { rows: before } = await pool.query<{ revision: string }>(
      `update fence set revision = revision + 5, open = false, epoch = 7 where subject = 'activation:O1.A1' returning *`,
    );
    const { rows: lost } = await pool.query(`delete from fence where subject = 'grant:G1' returning *`);
    expect(lost).toHaveLength(1);
    expect(await swap(scene.needs, { name: 'activation-fence' })).toMatchObject({
      merged: 1,
      previousVersion: null,
    });
    const { rows: after } = await pool.query(`select * from fence where subject = 'activation:O1.A1'`);
    expect(after).toEqual(before);
    expect((await pool.query(`select * from fence where subject = 'grant:G1'`)).rows).toEqual(lost);
  });
});
