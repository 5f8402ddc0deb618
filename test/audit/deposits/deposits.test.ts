import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timestampRequest, verifyTimestamp } from '#verify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { depositHeads, type DepositTarget } from '../../../src/audit/deposits/deposit-heads.ts';
import { toAuthority, toDirectory, toTopic } from '../../../src/audit/deposits/deposit-targets.ts';
import { signHead } from '../../../src/audit/log-heads/sign-head.ts';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { headDepositMetrics } from '../../../src/observability/metrics/service-metrics.ts';
import { makeDepositTable } from '../../../src/projections/log-guard/head-deposits-table.ts';
import { startLogHeads } from '../../../src/reactions/log-heads.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { newKey, signerOf } from '../exports.ts';
import { endSessions, memoryTiles } from '../log-tiles/memory-tiles.ts';
import { noAuthority, startAuthority } from './timestamp-authority.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const key = newKey();
const signal = new AbortController().signal;
const temporary = temporaryFolder();

const database = await migratedDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
afterAll(async () => {
  await client.end();
  await database.drop();
});
afterEach(async () => void (await client.query('truncate head_deposits')));

const table = makeDepositTable(async ({ text }, values) => (await client.query(text, [...values])).rows);
const sign = (store: ReturnType<typeof memoryStore>) =>
  signHead({ store, sign: signerOf(key), now: () => 1_795_168_800_123, tiles: memoryTiles().source }, signal);
const depositing = (store: ReturnType<typeof memoryStore>, targets: readonly DepositTarget[]) =>
  depositHeads({ store, table, targets, now: () => 1_795_168_900_000, logger: quietLogger() }, signal);
let folders = 0;
const newFolder = () => join(temporary, `deposits-${folders++}`);
const jwksFile = join(temporary, 'jwks.json');
writeFileSync(jwksFile, JSON.stringify(key.jwks));
const verify = (path: string, ...more: readonly string[]) =>
  runGrantbook(['audit', 'verify', path, '--jwks', jwksFile, ...more, '--json']);

/** A folder with heads over 4, 9 and 15 events. */
const threeDeposits = async () => {
  const [store, folder] = [memoryStore(), newFolder()];
  for (const events of [4, 4, 5]) {
    await endSessions(store, events);
    await sign(store);
    await depositing(store, [toDirectory(folder)]);
  }
  await client.query('truncate head_deposits');
  return { store, folder, names: readdirSync(folder).toSorted() };
};

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
        databaseUrl: database.url,
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

describe.skipIf(noAuthority)(
  `HI-03: timestamps of an authority (RFC 3161)${noAuthority ? `: skipped, ${noAuthority}` : ''}`,
  () => {
    let authority: Awaited<ReturnType<typeof startAuthority>>;
    beforeAll(async () => void (authority = await startAuthority()));
    afterAll(() => authority.stop());

    test('HI-03: are stored next to the head, and ours and another program take them', async () => {
      const [store, folder] = [memoryStore(), newFolder()];
      const targets = [toDirectory(folder), toAuthority(authority.url, folder)];
      await endSessions(store, 3);
      await sign(store);
      authority.answers(503);
      await depositing(store, targets);
      expect(await table.counts()).toMatchObject([
        { target: 'directory', waiting: 0 },
        { target: 'timestamp', waiting: 1 },
      ]);
      authority.answers(200);
      await depositing(store, targets);
      expect(readdirSync(folder)).toEqual(['head-000000000003.json', 'head-000000000003.tsr']);
      const [head, tsr] = readdirSync(folder).map((name) => join(folder, name)) as [string, string];
      expect(authority.accepts(tsr, head)).toBe(true);
      const stamped = (known: boolean) => ({
        exitCode: 0,
        json: { timestamps: 1, deposits: [{ timestamp: { authority_is_known: known } }] },
      });
      expect(await verify(folder)).toMatchObject(stamped(false));
      expect(await verify(head, '--timestamp-ca', authority.certificate)).toMatchObject(stamped(true));
      expect(await verify(head, '--timestamp-ca', authority.strange)).toMatchObject(stamped(false));
      const nonsense = await verify(head, '--timestamp-ca', jwksFile);
      expect(nonsense.exitCode).toBe(2);
    });

    test('HI-03: one over something else, or one that was changed, is refused with the sentence', async () => {
      const { folder, names } = await threeDeposits();
      const head = readFileSync(join(folder, String(names[0])));
      const other = authority.answer(timestampRequest(Buffer.from('something else')));
      writeFileSync(join(folder, 'head-000000000004.tsr'), other);
      const verdict = await verify(folder);
      expect([verdict.exitCode, verdict.json]).toMatchObject([
        1,
        {
          error: {
            message: expect.stringContaining('head-000000000004.tsr is over something else') as unknown,
          },
        },
      ]);
      const good = authority.answer(timestampRequest(head));
      await expect(verifyTimestamp(good, head)).resolves.toMatchObject({ authority: 'signer of the test' });
      const changed = Buffer.from(good);
      changed[changed.length - 5] = (changed[changed.length - 5] ?? 0) ^ 1;
      await expect(verifyTimestamp(changed, head)).rejects.toThrow('was changed');
      await expect(verifyTimestamp(Buffer.from('no'), head)).rejects.toThrow('is no answer');
    });
  },
);
