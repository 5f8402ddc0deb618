import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toDirectory, toTopic } from '../../../src/audit/deposits/deposit-targets.ts';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { headDepositMetrics } from '../../../src/observability/metrics/service-metrics.ts';
import { startLogHeads } from '../../../src/reactions/log-heads.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { signerOf } from '../exports.ts';
import { endSessions } from '../log-tiles/memory-tiles.ts';
import { depositScene } from './deposit-scene.ts';

const { client, databaseUrl, key, table, sign, depositing, newFolder, threeDeposits, verify } =
  await depositScene();

describe('HI-03: heads are deposited outside', () => {
  test('HI-03: each is a file of its own, as `audit head -o` writes it, and nothing else lies there', async () => {
    const { folder, names, store } = await threeDeposits();
    expect(names).toEqual(['head-000000000004.json', 'head-000000000009.json', 'head-000000000015.json']);
    const { events } = await store.read('logHead-log');
    const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(events.map(({ event }) => event.data));
    expect(texts.filter((text) => /^\{\n {2}"[\s\S]*\n\}\n$/.test(text))).toHaveLength(3);
    const verified = await verify(folder);
    expect([verified.exitCode, verified.json]).toMatchObject([
      0,
      { ok: true, heads: 3, deposits: [{}, { goes_on_from_the_one_before: true }, { key_is_known: true }] },
    ]);
    expect(await verify(join(folder, String(names[1])))).toMatchObject({ exitCode: 0, json: { heads: 1 } });
  });

  test('HI-03: what was left half written is removed, and what lies there is never overwritten', async () => {
    const [store, folder] = [memoryStore(), newFolder()];
    mkdirSync(folder);
    writeFileSync(join(folder, '.head-head-000000000002.json'), '{');
    await endSessions(store, 2);
    await sign(store);
    await depositing(store, [toDirectory(folder)]);
    expect(readdirSync(folder)).toEqual(['head-000000000002.json']);
    await client.query('truncate head_deposits');
    writeFileSync(join(folder, 'head-000000000002.json'), 'another');
    await depositing(store, [toDirectory(folder)]);
    expect(await table.list(10, null)).toMatchObject([
      {
        depositedAt: null,
        attempts: 1,
        lastError: expect.stringContaining('already exists with different content') as unknown,
      },
    ]);
    expect(readFileSync(join(folder, 'head-000000000002.json'), 'utf8')).toBe('another');
  });

  test('HI-03: what could not be deposited is reported, tried again in order, and keeps no other place waiting', async () => {
    const [store, folder] = [memoryStore(), newFolder()];
    let isAway = true;
    const published: MessageToPublish[] = [];
    const publish = (messages: readonly MessageToPublish[]) => {
      if (isAway) return Promise.reject(new Error('the brokers are away'));
      published.push(...messages);
      return Promise.resolve();
    };
    const targets = [toTopic({ publish }, 'heads'), toDirectory(folder)];
    for (const events of [2, 3]) {
      await endSessions(store, events);
      await sign(store);
      await depositing(store, targets);
    }
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await table.counts()).toMatchObject([
      { target: 'directory', waiting: 0 },
      { target: 'topic', waiting: 1, newestAt: null }, // the second was not tried: they go out in order
    ]);
    const [waiting] = headDepositMetrics(await table.counts());
    expect(waiting?.samples).toContainEqual({ labels: { target: 'topic' }, value: 1 });
    isAway = false;
    await depositing(store, targets);
    await depositing(store, targets);
    expect(published.map(({ topic, key: of }) => [topic, of])).toEqual([
      ['heads', '2'],
      ['heads', '6'],
    ]);
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(published.map(({ value }) => value)).toEqual(texts);
    expect(await table.counts()).toMatchObject([{ waiting: 0 }, { waiting: 0 }]);
  });

  test('HI-03: a place that is new begins with the newest head, and misses none from then on', async () => {
    const [store, folder] = [memoryStore(), newFolder()];
    for (const events of [2, 3]) await endSessions(store, events).then(() => sign(store));
    await depositing(store, [toDirectory(folder)]);
    expect(readdirSync(folder)).toEqual(['head-000000000006.json']);
    for (const events of [1, 1]) await endSessions(store, events).then(() => sign(store));
    await depositing(store, [toDirectory(folder)]);
    expect(readdirSync(folder)).toHaveLength(3);
    const first = await table.list(2, null);
    expect(first.map(({ size }) => size)).toEqual([10, 8]);
    expect((await table.list(2, first.at(-1)?.revision ?? null)).map(({ size }) => size)).toEqual([6]);
  });

  test('HI-03: the leader deposits at each interval, by itself', async () => {
    const [store, folder] = [memoryStore(), newFolder()];
    await endSessions(store, 3);
    let now = Date.now() + 60_001;
    for (let round = 1; round <= 2; round++) {
      const leader = startLogHeads({
        databaseUrl,
        store,
        sign: signerOf(key),
        now: () => now,
        logger: quietLogger(),
        intervalMs: 60_000,
        targets: [toDirectory(folder)],
      });
      await leader.caughtUp;
      await leader.stop();
      expect(readdirSync(folder)).toHaveLength(round);
      now += 60_001;
    }
    await client.query('truncate log_tiles');
  });
});

describe('HI-03: deposits are checked without a server', () => {
  test('HI-03: one that was changed, is of another log, or is none, is named with exit 1', async () => {
    const told = async (change: (folder: string, names: readonly string[]) => void) => {
      const { folder, names } = await threeDeposits();
      change(folder, names);
      const { exitCode, json } = await verify(folder);
      return [exitCode, (json as { error?: { message: string } }).error?.message];
    };
    const other = await threeDeposits();
    const rewritten = memoryStore();
    await endSessions(rewritten, 3);
    await sign(rewritten);
    await endSessions(rewritten, 5);
    const foreign = await sign(rewritten);
    expect(
      await told((folder, names) => {
        const file = join(folder, String(names[1]));
        writeFileSync(file, readFileSync(file, 'utf8').replace('"size": 9', '"size": 8'));
      }),
    ).toEqual([1, expect.stringContaining('head-000000000009.json says another size than was signed')]);
    expect(
      await told((folder) =>
        writeFileSync(join(folder, 'head-000000000009.json'), JSON.stringify({ ...foreign, size: 9 })),
      ),
    ).toEqual([1, expect.stringContaining('head-000000000009.json')]);
    expect(
      await told((folder) =>
        writeFileSync(
          join(folder, 'head-000000000015.json'),
          readFileSync(join(other.folder, 'head-000000000015.json')),
        ),
      ),
    ).toEqual([
      1,
      expect.stringContaining(
        'head-000000000015.json is of another log: it does not continue head-000000000009.json',
      ),
    ]);
    expect(await told((folder) => writeFileSync(join(folder, 'notes.txt'), ''))).toEqual([
      1,
      expect.stringContaining('notes.txt is neither a head nor a timestamp of one'),
    ]);
    expect(await told((folder) => writeFileSync(join(folder, 'head-000000000099.tsr'), ''))).toEqual([
      1,
      expect.stringContaining('head-000000000099.tsr is a timestamp whose head is missing'),
    ]);
  });
});
