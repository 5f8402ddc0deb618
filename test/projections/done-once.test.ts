import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { makeBeginOnce, type OneTime } from '../../src/commands/kernel/begin-once.ts';
import type { TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import { startCleaningTables } from '../../src/projections/retention/clean-tables.ts';
import { makeDoneOnce } from '../../src/projections/working-state/done-once.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const side = await testReadModels();
afterAll(() => side.close());

const [minute, day] = [60_000, 86_400_000];
const doneOnce = () => makeDoneOnce({ pool: side.pool });

test('AZ-40: of many that race to end an interaction one gets through, and nobody later', async () => {
  const race = await Promise.all(
    Array.from({ length: 20 }, () => doneOnce().end('i', Date.now() + 10 * minute)),
  );
  expect(race.filter(Boolean)).toHaveLength(1);
  expect(await doneOnce().end('i', Date.now() + 10 * minute)).toBe(false);
});

const all = new Map(['old', 'new'].map((id) => [id, randomBytes(32)]));
const older: TokenKeys = { current: 'old', keys: new Map([...all].slice(0, 1)) };
const rotated: TokenKeys = { current: 'new', keys: all };
let at = Date.now();
const begin = (asked: OneTime, keys = older) =>
  makeBeginOnce({ table: doneOnce(), keys, now: () => at })<object>(asked);
const form = (id: string, sent = 'a') =>
  ({ id, secret: `secret of ${id}`, sent, expiresAt: at + 12 * 60 * minute }) as const;
const underKey = (key: string, sent = 'a') => ({ account: 'U1', key, sent }) as const;
const first = async (asked: OneTime, keys = older) => {
  const begun = await begin(asked, keys);
  if (begun.kind !== 'first') throw new Error(begun.kind);
  return begun;
};

describe('what takes effect once', () => {
  test.each<[string, (sent?: string) => OneTime]>([
    ['a form', (sent) => form('form 1', sent)],
    ['a request under a key', (sent) => underKey('1', sent)],
  ])('%s: waits, is free after a refusal, and has its answer for the same request alone', async (_, ask) => {
    const begun = await first(ask());
    expect([await begin(ask()), await begin(ask('b'))]).toEqual([
      { kind: 'running', isSame: true },
      { kind: 'running', isSame: false },
    ]);
    await begun.refused();
    await (await first(ask('b'))).answered({ made: 1 });
    expect([await begin(ask('b')), await begin(ask())]).toEqual([
      { kind: 'answered', answer: { made: 1 } },
      { kind: 'other-request' },
    ]);
  });

  test('a form: nobody takes over, its response goes after ten minutes, and it stays used until it has expired', async () => {
    const silent = form('form 2');
    await (await first(silent)).failed();
    const long = form('form 3');
    await (await first(long)).answered({ made: 'x'.repeat(1_000) });
    at += 10 * minute;
    expect([await begin(silent), await begin(long)]).toEqual([
      { kind: 'running', isSame: true },
      { kind: 'other-request' },
    ]);
    const cleaner = startCleaningTables({
      databaseUrl: side.database.url,
      log: memoryStore(),
      now: () => at + 10 * minute + 1,
      logger: quietLogger(),
      everyMs: day,
    });
    await cleaner.caughtUp;
    await cleaner.stop();
    const { rows } = await side.pool.query<{ response: Buffer }>(
      `select response from done_once where id = 'form 3' and response_until is null`,
    );
    expect(rows.map(({ response }) => response.length)).toEqual([0]);
    expect((await begin(long)).kind).toBe('other-request');
    at = long.expiresAt;
    expect((await begin({ ...long, expiresAt: at + 1 })).kind).toBe('first');
  });

  test('what has no answer to keep, or was ended without one, is used', async () => {
    await (await first(form('form 4'))).answered(null);
    await doneOnce().end('ended', at + minute);
    for (const id of ['form 4', 'ended']) expect(await begin(form(id))).toEqual({ kind: 'other-request' });
  });

  test('a request under a key: a repeat takes over after half a minute and draws the same, also with an older token key', async () => {
    const begun = await first(underKey('2'));
    at += 29_999;
    expect((await begin(underKey('2'), rotated)).kind).toBe('running');
    at += 1;
    expect((await begin(underKey('2', 'b'), rotated)).kind).toBe('running');
    const repeat = await first(underKey('2'), rotated);
    expect([begun.isRepeat, repeat.isRepeat, repeat.once.at]).toEqual([false, true, begun.once.at]);
    expect(repeat.once.newId()).toBe(begun.once.newId());
    await repeat.answered({ made: 2 });
    expect(await begin(underKey('2'), rotated)).toEqual({ kind: 'answered', answer: { made: 2 } });
    const withoutOld = { current: 'new', keys: new Map([...all].slice(1)) };
    expect(await begin(underKey('2'), withoutOld)).toEqual({ kind: 'other-request' });
  });

  test('a request under a key: an abandoned one is repeated at once; after a day the key begins anew', async () => {
    const begun = await first(underKey('3'));
    await begun.failed();
    const repeat = await first(underKey('3'));
    expect(repeat.once.newId()).toBe(begun.once.newId());
    await repeat.answered({ made: 3 });
    at += day;
    const anew = await first(underKey('3', 'b'), rotated);
    expect([anew.isRepeat, anew.once.at]).toEqual([false, at]);
    expect(anew.once.newId().slice(10)).not.toBe(begun.once.newId().slice(10));
  });
});
