import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeServerProbe, type ServerTime } from '../../src/readiness/server-probe.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const onTime: ServerTime = { asked: 1_000, created: 1_005, answered: 1_010 };

/** A server whose answers the test gives, and what was told of it. */
const setScene = (write: () => Promise<ServerTime>) => {
  const told: (string | null)[] = [];
  const tried = vi.fn<() => Promise<ServerTime>>(write);
  const look = makeServerProbe({
    write: tried,
    explain: (error) => (error as Error).message,
    isDenied: (error) => (error as Error).message === 'denied',
    changed: ({ trouble }) => told.push(trouble),
    ticks: () => performance.now(),
  });
  return { look, tried, told };
};
const never = () => new Promise<ServerTime>(() => undefined);
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test('OP-05: a write is tried when somebody asks, and at most every five seconds', async () => {
  const { look, tried } = setScene(() => Promise.resolve(onTime));
  await pass(60_000);
  expect(tried).toHaveBeenCalledTimes(0);
  for (let second = 0; second < 20; second++) {
    expect(await look()).toEqual({ trouble: null, isUntried: false, ahead: 0 });
    await pass(1_000);
  }
  expect(tried).toHaveBeenCalledTimes(4);
});

test('OP-05: a server that stops taking writes is named within 15 s, by an error or by its silence, and so is its return', async () => {
  for (const broken of [() => Promise.reject(new Error('full')), never]) {
    let write = (): Promise<ServerTime> => Promise.resolve(onTime);
    const { look, told } = setScene(() => write());
    await look();
    write = broken;
    const seen: (string | null)[] = [];
    for (let second = 0; second < 15; second++) {
      const asked = look();
      await pass(1_000);
      seen.push((await asked).trouble);
    }
    expect(seen.at(-1)).toBe(broken === never ? 'no answer to a write for 5 s' : 'full');
    if (broken === never) continue;
    write = () => Promise.resolve(onTime);
    await pass(5_000);
    expect((await look()).trouble).toBe(null);
    expect(told).toEqual(['full', null]);
  }
});

test('whoever asks first waits for the first answer, five seconds at most', async () => {
  const { look } = setScene(never);
  const asked = look();
  await pass(5_000);
  expect((await asked).trouble).toBe('no answer to a write for 5 s');
});

test('what is not allowed is not tried again for ten minutes', async () => {
  const { look, tried } = setScene(() => Promise.reject(new Error('denied')));
  expect(await look()).toEqual({ trouble: 'denied', isUntried: true, ahead: null });
  await pass(599_000);
  await look();
  expect(tried).toHaveBeenCalledTimes(1);
  await pass(1_000);
  await look();
  expect(tried).toHaveBeenCalledTimes(2);
});

test.each([
  ['within what the call took', { asked: 1_000, created: 1_900, answered: 2_000 }, 0],
  ['ahead', { asked: 1_000, created: 46_000, answered: 2_000 }, 44_000],
  ['behind', { asked: 100_000, created: 60_000, answered: 102_000 }, -40_000],
])('OP-05: a clock is off by what the call cannot have taken: %s', async (_how, time, ahead) => {
  const { look } = setScene(() => Promise.resolve(time));
  expect(await look()).toMatchObject({ ahead });
});
