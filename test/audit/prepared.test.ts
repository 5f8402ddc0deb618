import { expect, onTestFinished, test, vi } from 'vitest';
import { makePrepared } from '../../src/audit/prepared.ts';

const bounds = { waitMs: 1, most: 2, mostForOne: 2, keepMs: 60_000 };

const asked = (key: string, by = 'ada', note = () => Promise.resolve()) => ({ key, by, note });

/** Work that ends when the test says so. */
const work = () => {
  let resolve: (value: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((done, failed) => ([resolve, reject] = [done, failed]));
  let signal: AbortSignal | undefined;
  const start = vi.fn<Parameters<ReturnType<typeof makePrepared<string>>['ask']>[1]>((aborted, passed) => {
    signal = aborted;
    passed({ created: 5 });
    passed({ created: 7 });
    return promise;
  });
  return { start, resolve, reject, isAborted: () => signal?.aborted };
};

test('FX-34: what takes long is prepared once; until it is there it says how far it is', async () => {
  const prepared = makePrepared<string>(bounds);
  const { start, resolve } = work();
  const preparing = { state: 'preparing', progress: { events: 2, upTo: 7 } };
  expect(await prepared.ask(asked('a'), start)).toEqual(preparing);
  expect(await prepared.ask(asked('a'), start)).toEqual(preparing);
  resolve('found');
  await vi.waitFor(async () =>
    expect(await prepared.ask(asked('a'), start)).toEqual({ state: 'ready', value: 'found' }),
  );
  expect(start).toHaveBeenCalledTimes(1);
});

test('FX-58: all who ask the same, and ask again, get the one answer, once it is noted who asked', async () => {
  const prepared = makePrepared<string>(bounds);
  const { start, resolve } = work();
  const notes: string[] = [];
  const by = (name: string) => asked('a', name, () => Promise.resolve(void notes.push(name)));
  resolve('found');
  for (const name of ['ada', 'ada', 'ben', 'ada', 'ben'])
    await vi.waitFor(async () =>
      expect(await prepared.ask(by(name), start)).toEqual({ state: 'ready', value: 'found' }),
    );
  expect(start).toHaveBeenCalledTimes(1);
  expect(notes).toEqual(['ada', 'ben']);
  const refusing = asked('a', 'eve', () => Promise.reject(new Error('the log is away')));
  await expect(prepared.ask(refusing, start)).rejects.toThrow('the log is away');
  await expect(prepared.ask(refusing, start), 'nor the next time').rejects.toThrow('the log is away');
});

test('FX-58: nobody takes all places, and what nobody waits for ends after a minute', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const prepared = makePrepared<string>({ ...bounds, most: 4, keepMs: 60_000 });
  const ask = async (key: string, by: string, { start }: ReturnType<typeof work>) => {
    const answer = prepared.ask(asked(key, by), start);
    await vi.advanceTimersByTimeAsync(bounds.waitMs);
    return (await answer).state;
  };
  const [one, two, third, bens] = [work(), work(), work(), work()];
  expect(await ask('a', 'ada', one)).toBe('preparing');
  expect(await ask('b', 'ada', two)).toBe('preparing');
  expect(await ask('c', 'ada', third)).toBe('busy');
  expect(await ask('c', 'ben', bens)).toBe('preparing');
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await ask('b', 'ada', two)).toBe('preparing');
  await vi.advanceTimersByTimeAsync(25_000);
  expect([one.isAborted(), two.isAborted(), bens.isAborted()]).toEqual([true, false, true]);
  expect(await ask('d', 'ada', third)).toBe('preparing');
});

test('FX-34: no more are prepared at once than allowed, and those that are given up stop', async () => {
  const prepared = makePrepared<string>(bounds);
  const [one, two, three] = [work(), work(), work()];
  await prepared.ask(asked('a'), one.start);
  await prepared.ask(asked('b'), two.start);
  expect(await prepared.ask(asked('c'), three.start)).toEqual({ state: 'busy' });
  expect(three.start).not.toHaveBeenCalled();
  one.reject(new Error('away'));
  await expect(prepared.ask(asked('a'), three.start)).rejects.toThrow('away');
  expect(await prepared.ask(asked('c'), three.start)).toMatchObject({ state: 'preparing' });
  prepared.close();
  expect([two.isAborted(), three.isAborted()]).toEqual([true, true]);
});
