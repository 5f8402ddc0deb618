import { expect, test, vi } from 'vitest';
import { makePrepared } from '../../src/audit/prepared.ts';

const bounds = { waitMs: 1, most: 2, keepMs: 60_000 };

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
  expect(await prepared.ask('a', start)).toEqual(preparing);
  expect(await prepared.ask('a', start)).toEqual(preparing);
  resolve('found');
  await vi.waitFor(async () =>
    expect(await prepared.ask('a', start)).toEqual({ state: 'ready', value: 'found' }),
  );
  expect(start).toHaveBeenCalledTimes(1);
  expect(await prepared.ask('a', work().start)).toMatchObject({ state: 'preparing' });
});

test('FX-34: no more are prepared at once than allowed, and those that are given up stop', async () => {
  const prepared = makePrepared<string>(bounds);
  const [one, two, three] = [work(), work(), work()];
  await prepared.ask('a', one.start);
  await prepared.ask('b', two.start);
  expect(await prepared.ask('c', three.start)).toEqual({ state: 'busy' });
  expect(three.start).not.toHaveBeenCalled();
  one.reject(new Error('away'));
  await expect(prepared.ask('a', three.start)).rejects.toThrow('away');
  expect(await prepared.ask('c', three.start)).toMatchObject({ state: 'preparing' });
  prepared.close();
  expect([two.isAborted(), three.isAborted()]).toEqual([true, true]);
});
