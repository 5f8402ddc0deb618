import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeRecord } from '../../../src/commands/records/record.ts';
import { accessRight } from '../../../src/domain/records/access-right.ts';
import type { AccessRight } from '../../../src/domain/records/access-right.ts';
import type { KnownRecord } from '../../../src/domain/records/record.ts';
import { AppendOutcomeUnknown } from '../../../src/eventstore/event-store.ts';
import type { KnownRecords } from '../../../src/projections/read-models.ts';
import { atAppend } from '../../support/memory/at-append.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { rightOf } from '../../support/scenes/profile.ts';

const right = rightOf('person_1');
const key = { organizationId: 'org', id: 'right_1' };

const recording = () => {
  const trips: string[] = [];
  const store = memoryStore({
    beforeAppend: () => void trips.push('append'),
    beforeRead: () => void trips.push('read'),
  });
  const recordAccessRight = makeRecord({ store, now: () => 1 }, accessRight);
  const record = async (version: number, content: AccessRight | null) => {
    trips.length = 0;
    const outcome = await recordAccessRight({ ...key, version, record: content });
    return outcome.ok ? outcome.value.effect : outcome.refusal;
  };
  return { store, trips, record };
};

describe('LI-08: recording what the host platform says', () => {
  test('a new record costs one round trip, whatever its version', async () => {
    const { record, trips } = recording();
    expect(await record(4, right)).toBe('added');
    expect(trips).toEqual(['append']);
  });

  test('the answer holds the position to wait for, also when nothing changed', async () => {
    const store = memoryStore();
    const recordAccessRight = makeRecord({ store, now: () => 1 }, accessRight);
    const first = await recordAccessRight({ ...key, version: 1, record: right });
    const again = await recordAccessRight({ ...key, version: 1, record: right });
    const position = await store.head();
    expect(first).toMatchObject({ value: { effect: 'added', position } });
    expect(again).toMatchObject({ value: { effect: 'unchanged', position } });
  });

  test('of one version recorded twenty times at once, one adds and the others find it unchanged', async () => {
    const { record, store } = recording();
    const effects = await Promise.all(Array.from({ length: 20 }, () => record(1, right)));
    expect(effects.filter((effect) => effect === 'added')).toHaveLength(1);
    expect(effects.filter((effect) => effect === 'unchanged')).toHaveLength(19);
    expect(store.all()).toHaveLength(1);
  });
});

describe('LI-08: what the read models hold of a record saves a look into the log', () => {
  const suspended: AccessRight = { ...right, status: 'suspended' };
  const revoked: AccessRight = { ...right, status: 'revoked' };

  /** The log has versions 1 and 2; the read models hold what they are given. */
  const knowing = async (shown: KnownRecord<AccessRight> | null | Error) => {
    const trips: string[] = [];
    const store = memoryStore({
      beforeAppend: () => void trips.push('append'),
      beforeRead: () => void trips.push('read'),
    });
    const alone = makeRecord({ store, now: () => 1 }, accessRight);
    await alone({ ...key, version: 1, record: right });
    await alone({ ...key, version: 2, record: suspended });
    trips.length = 0;
    const accessRights = () => (shown instanceof Error ? Promise.reject(shown) : Promise.resolve(shown));
    const knownRecords = { accessRights } as unknown as KnownRecords;
    const recordAccessRight = makeRecord({ store, now: () => 1, knownRecords }, accessRight);
    return async (version: number, content: AccessRight | null) => {
      const outcome = await recordAccessRight({ ...key, version, record: content });
      return [outcome.ok ? outcome.value.effect : outcome.refusal, ...trips];
    };
  };
  const first = { version: 1, record: right, revision: 0n };
  const second = { version: 2, record: suspended, revision: 1n };

  test('the same version with the same content is unchanged, and an older one older, without a word with the log', async () => {
    expect(await (await knowing(second))(2, suspended)).toEqual(['unchanged']);
    expect(await (await knowing(second))(1, right)).toEqual(['older-version']);
    expect(await (await knowing(first))(1, right)).toEqual(['unchanged']);
  });

  test('a newer version is appended at the revision that they hold', async () => {
    expect(await (await knowing(second))(3, revoked)).toEqual(['changed', 'append']);
    expect(await (await knowing(second))(3, null)).toEqual(['removed', 'append']);
  });

  test('when they lag behind, the log decides', async () => {
    expect(await (await knowing(first))(3, revoked)).toEqual(['changed', 'append', 'read', 'append']);
    expect(await (await knowing(first))(2, suspended)).toEqual(['unchanged', 'append', 'read']);
    expect(await (await knowing(first))(2, revoked)).toEqual(['version-conflict', 'append', 'read']);
    expect(await (await knowing(null))(2, suspended)).toEqual(['unchanged', 'append', 'read']);
  });

  test('other content under the same version is judged by the log', async () => {
    expect(await (await knowing(second))(2, revoked)).toEqual(['version-conflict', 'read']);
    expect(await (await knowing(first))(1, revoked)).toEqual(['older-version', 'read']);
    expect(await (await knowing(second))(2, null)).toEqual(['version-conflict', 'read']);
  });

  test('when they are away, the log does without them', async () => {
    expect(await (await knowing(new Error('away')))(3, revoked)).toEqual([
      'changed',
      'append',
      'read',
      'append',
    ]);
  });
});

describe('FX-106: a record whose append was repeated without an answer counts as what it did', () => {
  const stored = {
    add: [1, right],
    change: [2, { ...right, status: 'revoked' }],
    remove: [2, null],
  } as const;

  test.each([
    ['add', 'added'],
    ['change', 'changed'],
    ['remove', 'removed'],
  ] as const)('%s: the answer of the append is lost', async (what, effect) => {
    const { hooks, arm } = atAppend('afterAppend');
    const store = memoryStore(hooks);
    const recordAccessRight = makeRecord({ store, now: () => 1 }, accessRight);
    if (what !== 'add') await recordAccessRight({ ...key, version: 1, record: right });
    const [version, record] = stored[what];
    arm();
    const outcome = await recordAccessRight({ ...key, version, record });
    expect(outcome).toEqual({ ok: true, value: { effect, position: await store.head() } });
    expect(store.all()).toHaveLength(version);
  });

  test('whoever stored a newer version meanwhile', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    const store = memoryStore(hooks);
    const recordAccessRight = makeRecord({ store, now: () => 1 }, accessRight);
    arm(async () => {
      await recordAccessRight({ ...key, version: 2, record: null });
      throw new AppendOutcomeUnknown('no word from the log');
    });
    const outcome = await recordAccessRight({ ...key, version: 1, record: right });
    expect(outcome).toMatchObject({ value: { effect: 'added', position: { commit: 1n } } });
    expect(store.all()).toHaveLength(2);
  });

  test('a line is known by the id of its event, in a later run of the command as well', async () => {
    const store = memoryStore();
    const recordAccessRight = makeRecord({ store, now: () => 1 }, accessRight);
    const line = { ...key, version: 1, record: right, line: { eventId: randomUUID(), isRepeat: false } };
    const repeat = { ...line, line: { ...line.line, isRepeat: true } };
    const newer = { ...key, version: 2, record: null };
    const effectOf = async (request: typeof line) => {
      const outcome = await recordAccessRight(request);
      return outcome.ok ? outcome.value.effect : outcome.refusal;
    };
    expect(await effectOf(line)).toBe('added');
    expect(await effectOf(repeat)).toBe('added');
    const other = { eventId: randomUUID(), isRepeat: true };
    expect(await effectOf({ ...repeat, line: other })).toBe('unchanged');
    await recordAccessRight(newer);
    expect(await effectOf(repeat)).toBe('added');
    expect(await effectOf({ ...repeat, line: other })).toBe('older-version');
  });
});
