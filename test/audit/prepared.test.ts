import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Interrupted } from '../../src/audit/interrupted.ts';
import { makePrepared } from '../../src/audit/prepared.ts';
import type { Start } from '../../src/audit/prepared-job.ts';
import { makePreparedAnswers } from '../../src/projections/working-state/prepared-answers.ts';
import { patience } from '../support/patience.ts';
import { eventually } from '../support/eventually.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
const minute = 60_000;
let clock = 0;
beforeEach(async () => {
  clock = Date.UTC(2026, 6, 1);
  await side.pool.query('truncate prepared_answers');
});
afterAll(() => side.close());

const keys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };

/** An instance of the installation: all have one database and one clock. */
const instance = (changes: Partial<Parameters<typeof makePrepared>[0]> = {}) => {
  const prepared = makePrepared({
    table: makePreparedAnswers(side),
    keys,
    now: () => clock,
    version: '1.0.0',
    waitMs: 1,
    pollMs: 1,
    renewMs: 1,
    most: 2,
    mostForOne: 2,
    keepMs: minute,
    ...changes,
  });
  onTestFinished(async () => prepared.close());
  return prepared;
};

const asked = (key: string, by = 'ada', note = () => Promise.resolve()) => ({
  kind: 'exposure' as const,
  parameters: { organizationId: 'O1', addonId: key },
  by,
  note,
});

/** Work that ends when the test says so, or when it is stopped. */
const work = () => {
  let resolve: (value: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((done, failed) => ([resolve, reject] = [done, failed]));
  let signal: AbortSignal | undefined;
  const start = vi.fn<Start<string>>((aborted, passed) => {
    signal = aborted;
    aborted.addEventListener('abort', () => reject(new Interrupted('stopped')));
    passed({ created: 5 });
    passed({ created: 7 });
    return promise;
  });
  return { start, resolve, reject, isAborted: () => signal?.aborted };
};

const preparing = { state: 'preparing', progress: { events: 2, upTo: 7 } };
const ready = (value: string) => ({ state: 'ready', value });
const untilReady = (ask: () => Promise<unknown>, value: string) =>
  eventually(async () => expect(await ask()).toEqual(ready(value)));

const untilTwoAsk = () =>
  eventually(async () => {
    const { rows } = await side.pool.query('select from prepared_answers where cardinality(askers) = 2');
    expect(rows).toHaveLength(1);
  });

test('FX-34: what takes long is prepared once; until it is there it says how far it is', async () => {
  const prepared = instance();
  const { start, resolve } = work();
  expect(await prepared.ask(asked('a'), start)).toEqual(preparing);
  expect(await prepared.ask(asked('a'), start)).toEqual(preparing);
  resolve('found');
  await untilReady(() => prepared.ask(asked('a'), start), 'found');
  expect(start).toHaveBeenCalledTimes(1);
});

test('FX-58: one instance computes, and each gives the answer, and says until then how far it is', async () => {
  const [one, other] = [instance(), instance()];
  const { start, resolve } = work();
  expect(await one.ask(asked('a'), start)).toEqual(preparing);
  await eventually(async () => expect(await other.ask(asked('a', 'ben'), start)).toEqual(preparing));
  resolve('found');
  await untilReady(() => other.ask(asked('a', 'ben'), start), 'found');
  expect(await one.ask(asked('a'), start)).toEqual(ready('found'));
  expect(await instance().ask(asked('a', 'eve'), start), 'a third, which has started since').toEqual(
    ready('found'),
  );
  expect(start).toHaveBeenCalledTimes(1);
});

test('FX-58: of many who ask at the same moment, on several instances, one begins', async () => {
  const instances = [instance(), instance(), instance()];
  const { start, resolve } = work();
  resolve('found');
  const signal = AbortSignal.timeout(patience);
  const answers = instances.flatMap((prepared) =>
    ['ada', 'ben', 'eve'].map((by) => prepared.answered(asked('a', by), start, signal)),
  );
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['found']));
  expect(start).toHaveBeenCalledTimes(1);
});

test('FX-58: all who ask the same, and ask again, get the one answer, once it is noted who asked', async () => {
  const instances = [instance(), instance()];
  const { start, resolve } = work();
  const notes: string[] = [];
  const by = (name: string) => asked('a', name, () => Promise.resolve(void notes.push(name)));
  resolve('found');
  for (const name of ['ada', 'ada', 'ben', 'ada', 'ben'])
    for (const prepared of instances) await untilReady(() => prepared.ask(by(name), start), 'found');
  expect(start).toHaveBeenCalledTimes(1);
  expect(notes).toEqual(['ada', 'ben']);
  const refusing = asked('a', 'eve', () => Promise.reject(new Error('the log is away')));
  for (const prepared of [...instances, ...instances])
    await expect(prepared.ask(refusing, start), 'nor the next time').rejects.toThrow('the log is away');
});

test('FX-58: nobody takes all places, on whichever instance, and what nobody waits for ends after a minute', async () => {
  const [one, other] = [instance({ most: 4 }), instance({ most: 4 })];
  const [first, second, third, bens] = [work(), work(), work(), work()];
  const state = async (prepared: typeof one, key: string, by: string, { start }: typeof first) =>
    (await prepared.ask(asked(key, by), start)).state;
  expect(await state(one, 'a', 'ada', first)).toBe('preparing');
  expect(await state(other, 'b', 'ada', second)).toBe('preparing');
  expect(await state(one, 'c', 'ada', third)).toBe('busy');
  expect(await state(other, 'c', 'ada', third)).toBe('busy');
  expect(await state(other, 'c', 'ben', bens)).toBe('preparing');
  // The lease is renewed meanwhile: the test's clock goes on in steps that are shorter.
  const pass = async (ms: number) => {
    for (const end = clock + ms; clock < end;) {
      clock += Math.min(5_000, end - clock);
      const held = clock + 15_000;
      await eventually(async () => {
        const { rows } = await side.pool.query(
          'select from prepared_answers where held_until < $1 and expires_at > $2',
          [held, clock],
        );
        expect(rows).toEqual([]);
      });
    }
  };
  await pass(40_000);
  expect(await state(one, 'b', 'eve', second), 'asked for elsewhere').toBe('preparing');
  await pass(25_000);
  await eventually(() =>
    expect([first.isAborted(), second.isAborted(), bens.isAborted()]).toEqual([true, false, true]),
  );
  expect(await state(one, 'd', 'ada', third)).toBe('preparing');
});

test('FX-58: another instance takes over from one that was killed, whose late answer is not kept', async () => {
  const real = makePreparedAnswers(side);
  let isKilled = false;
  const unlessKilled =
    <Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      if (isKilled) throw new Error('killed');
      return call(...given);
    };
  const { find, claim, want, recorded, renew, answer, release } = real;
  const mortal = instance({
    table: {
      find: unlessKilled(find),
      claim: unlessKilled(claim),
      want: unlessKilled(want),
      recorded: unlessKilled(recorded),
      renew: unlessKilled(renew),
      answer: unlessKilled(answer),
      release: unlessKilled(release),
    },
  });
  const other = instance();
  const [early, late] = [work(), work()];
  const notes: string[] = [];
  const ask = (prepared: typeof other, { start }: typeof early) =>
    prepared.ask(
      asked('a', 'ada', () => Promise.resolve(void notes.push('ada'))),
      start,
    );
  expect(await ask(mortal, early)).toEqual(preparing);
  isKilled = true;
  expect((await ask(other, late)).state).toBe('preparing');
  expect(late.start, 'not before its lease has ended').not.toHaveBeenCalled();
  clock += 15_001;
  expect((await ask(other, late)).state).toBe('preparing');
  expect(late.start).toHaveBeenCalledTimes(1);
  await eventually(() => expect(early.isAborted(), 'it stops, if it still runs').toBe(true));
  isKilled = false;
  late.resolve('found');
  await untilReady(() => ask(other, late), 'found');
  expect(await ask(mortal, early)).toEqual(ready('found'));
  expect(notes, 'the question is in the log already').toEqual(['ada']);
});

test('FX-58: an answer is given for ten minutes, and by a program of the same version', async () => {
  const { start, resolve } = work();
  resolve('found');
  const signal = AbortSignal.timeout(patience);
  const [one, newer] = [instance(), instance({ version: '1.0.1' })];
  await one.answered(asked('a'), start, signal);
  clock += 10 * minute - 1;
  await instance().answered(asked('a', 'ben'), start, signal);
  expect(start).toHaveBeenCalledTimes(1);
  await newer.answered(asked('a'), start, signal);
  expect(start).toHaveBeenCalledTimes(2);
  clock += 1;
  await one.answered(asked('a'), start, signal);
  expect(start).toHaveBeenCalledTimes(3);
});

test('FX-58: nobody reads an answer in the database, and without its key it is computed anew', async () => {
  const { start, resolve } = work();
  resolve('192.0.2.0/24');
  const signal = AbortSignal.timeout(patience);
  await instance().answered(asked('a'), start, signal);
  const { rows } = await side.pool.query<{ answer: Buffer }>('select answer from prepared_answers');
  expect(rows).toHaveLength(1);
  expect(
    rows.map(({ answer }) => answer.includes('192.0.2') || answer.subarray(12, 14).equals(gzipped)),
  ).toEqual([false]);
  const others = { current: 'k2', keys: new Map([['k2', randomBytes(32)]]) };
  expect(await instance({ keys: others }).answered(asked('a'), start, signal)).toBe('192.0.2.0/24');
  expect(start).toHaveBeenCalledTimes(2);
});
const gzipped = Buffer.from([0x1f, 0x8b]);

test('FX-58: what is computed while its row goes, as at an erasure, begins anew', async () => {
  const [early, late] = [work(), work()];
  const start: Start<string> = (...given) =>
    (early.start.mock.calls.length === 0 ? early : late).start(...given);
  const answer = instance().answered(asked('a'), start, AbortSignal.timeout(patience));
  await eventually(() => expect(early.start).toHaveBeenCalled());
  await side.pool.query('delete from prepared_answers');
  await eventually(() => expect(late.start).toHaveBeenCalled());
  expect(early.isAborted()).toBe(true);
  late.resolve('found');
  expect(await answer).toBe('found');
});

test('FX-58: an answer that is too long to be kept is given to those who wait', async () => {
  const prepared = instance({ mostBytes: 10 });
  const { start, resolve } = work();
  const signal = AbortSignal.timeout(patience);
  const answers = ['ada', 'ben'].map((by) => prepared.answered(asked('a', by), start, signal));
  await untilTwoAsk();
  resolve('found');
  expect(await Promise.all(answers)).toEqual(['found', 'found']);
  expect((await side.pool.query('select from prepared_answers')).rows).toEqual([]);
  expect(start).toHaveBeenCalledTimes(1);
});

test('FX-34: no more are prepared at once than allowed, and those that are given up stop', async () => {
  const prepared = instance();
  const [one, two, three] = [work(), work(), work()];
  await prepared.ask(asked('a'), one.start);
  await prepared.ask(asked('b'), two.start);
  expect(await prepared.ask(asked('c'), three.start)).toEqual({ state: 'busy' });
  expect(three.start).not.toHaveBeenCalled();
  const signal = AbortSignal.timeout(patience);
  const failing = prepared.answered(asked('a', 'ben'), three.start, signal).catch((error: unknown) => error);
  await untilTwoAsk();
  one.reject(new Error('away'));
  expect(await failing).toMatchObject({ message: 'away' });
  expect(await prepared.ask(asked('c'), three.start)).toMatchObject({ state: 'preparing' });
  await prepared.close();
  expect([two.isAborted(), three.isAborted()]).toEqual([true, true]);
  await expect(prepared.ask(asked('b'), two.start)).rejects.toThrow(Interrupted);
  const again = work();
  again.resolve('found');
  await untilReady(() => instance().ask(asked('b'), again.start), 'found');
});

test('FX-58: who waits is told of a failure, also if the row is renewed while it is removed', async () => {
  const table = makePreparedAnswers(side);
  const release = vi.fn<typeof table.release>(table.release);
  const renew = vi.fn<typeof table.renew>(table.renew);
  const prepared = instance({
    table: {
      ...table,
      renew,
      async release(...given) {
        await release(...given);
        await eventually(async () =>
          expect(await Promise.all(renew.mock.results.map(({ value }) => value as unknown))).toContain(false),
        );
        return true;
      },
    },
  });
  const { start, reject } = work();
  const failing = prepared
    .answered(asked('a'), start, AbortSignal.timeout(patience))
    .catch((error: unknown) => error);
  await eventually(() => expect(start).toHaveBeenCalled());
  reject(new Error('away'));
  expect(await failing).toMatchObject({ message: 'away' });
  expect([start.mock.calls.length, release.mock.calls.length]).toEqual([1, 1]);
});

test('FX-58: who waits for the whole answer also waits for a place, and can leave', async () => {
  const [one, other] = [instance({ mostForOne: 1 }), instance({ mostForOne: 1 })];
  const [first, second] = [work(), work()];
  const signal = AbortSignal.timeout(patience);
  const leaving = new AbortController();
  const left = one.answered(asked('a'), first.start, leaving.signal).catch((error: unknown) => error);
  await eventually(() => expect(first.start).toHaveBeenCalled());
  const next = other.answered(asked('b'), second.start, signal);
  leaving.abort();
  expect(await left).toBeInstanceOf(Interrupted);
  expect([first.isAborted(), second.start.mock.calls]).toEqual([false, []]);
  first.resolve('found');
  second.resolve('found too');
  expect(await next).toBe('found too');
});
