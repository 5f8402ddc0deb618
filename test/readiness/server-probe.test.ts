import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeServerProbe, type ServerTime } from '../../src/observability/readiness/server-probe.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const onTime: ServerTime = { asked: 1_000, created: 1_005, answered: 1_010 };

/** A server whose answers the test gives, and what was told of it. */
const setScene = (
  write: () => Promise<ServerTime>,
  isGranted: () => Promise<boolean> = () => Promise.resolve(false),
) => {
  const traffic = {
    succeededAt: -Infinity,
    failedAt: -Infinity,
    answeredAt: -Infinity,
    error: undefined as unknown,
  };
  const told: (string | null)[] = [];
  const tried = vi.fn<() => Promise<ServerTime>>(write);
  const look = makeServerProbe({
    write: tried,
    explain: (error) => (error as Error).message,
    isDenied: (error) => (error as Error).message === 'denied',
    isGranted,
    changed: ({ trouble }) => told.push(trouble),
    traffic: () => traffic,
    ticks: () => performance.now(),
  });
  const succeed = () => (traffic.succeededAt = performance.now());
  const answer = () => (traffic.answeredAt = performance.now());
  const fail = () =>
    Object.assign(traffic, { failedAt: performance.now(), error: new Error('not appended') });
  return { look, tried, told, succeed, answer, fail };
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

test('FX-45: in trouble a write is tried twice a second, so its end is seen by the first question after half a second', async () => {
  let write = (): Promise<ServerTime> => Promise.reject(new Error('full'));
  const { look, tried, told } = setScene(() => write());
  for (let at = 0; at < 10; at++) {
    expect((await look()).trouble).toBe('full');
    await pass(500);
  }
  expect(tried).toHaveBeenCalledTimes(10);
  write = () => Promise.resolve(onTime);
  expect((await look()).trouble).toBeNull();
  await pass(4_999);
  await look();
  expect(tried).toHaveBeenCalledTimes(11);
  expect(told).toEqual(['full', null]);
});

test('FX-45: a failed call of a request is trouble at once, and a successful one its end; neither waits for a probe', async () => {
  const { look, tried, told, succeed, fail } = setScene(() => Promise.resolve(onTime));
  await look();
  await pass(100);
  fail();
  expect((await look()).trouble).toBe('not appended');
  await pass(100);
  succeed();
  expect((await look()).trouble).toBeNull();
  expect(tried).toHaveBeenCalledTimes(1);
  expect(told).toEqual(['not appended', null]);
});

test('FX-45: a probe ends the trouble only when no call of a request has failed for a second: it needs less than they do', async () => {
  const { look, fail } = setScene(() => Promise.resolve(onTime));
  for (let at = 0; at < 6; at++) {
    fail();
    expect((await look()).trouble).toBe('not appended');
    await pass(500);
  }
  await look();
  await pass(500);
  await look();
  await pass(500);
  expect((await look()).trouble).toBeNull();
});

test('FX-45: while requests succeed, a probe that hangs or has failed before makes no trouble, and the server is not asked more often', async () => {
  let write = (): Promise<ServerTime> => Promise.reject(new Error('full'));
  const { look, tried, succeed } = setScene(() => write());
  expect((await look()).trouble).toBe('full');
  write = never;
  await pass(100);
  for (let at = 0; at < 40; at++) {
    await pass(250);
    succeed();
    expect((await look()).trouble).toBeNull();
  }
  expect(tried).toHaveBeenCalledTimes(2);
});

test('FX-45: where no probe may be tried, the calls of requests say how the server is; without them nobody knows after five seconds', async () => {
  const { look, fail, succeed } = setScene(() => Promise.reject(new Error('denied')));
  await look();
  fail();
  expect(await look()).toMatchObject({ trouble: 'not appended', isUntried: false });
  await pass(1);
  succeed();
  expect(await look()).toMatchObject({ trouble: null });
  await pass(1);
  fail();
  await pass(5_000);
  expect(await look()).toMatchObject({ trouble: 'denied', isUntried: true });
});

test('whoever asks first waits for the first answer, five seconds at most', async () => {
  const { look } = setScene(never);
  const asked = look();
  await pass(5_000);
  expect((await asked).trouble).toBe('no answer to a write for 5 s');
});

test('FX-100: what a server denied is asked for again each second, and written once it is granted, then at the usual interval', async () => {
  let isDenied = true;
  const isGranted = vi.fn<() => Promise<boolean>>(() => Promise.resolve(!isDenied));
  const write = () => (isDenied ? Promise.reject(new Error('denied')) : Promise.resolve(onTime));
  const { look, tried, told } = setScene(write, isGranted);
  expect(await look()).toEqual({ trouble: 'denied', isUntried: true, ahead: null });
  for (let second = 0; second < 4; second += 1) {
    await pass(1_000);
    expect((await look()).trouble).toBe('denied');
  }
  expect([tried.mock.calls.length, isGranted.mock.calls.length]).toEqual([1, 4]);
  isDenied = false;
  await pass(1_000);
  expect((await look()).trouble).toBeNull();
  for (let second = 0; second < 4; second += 1) {
    await pass(1_000);
    await look();
  }
  expect([tried.mock.calls.length, isGranted.mock.calls.length]).toEqual([2, 5]);
  expect(told).toEqual(['denied', null]);
});

test.each(['succeed', 'answer'] as const)(
  'FX-100: the success of a request ends the report of a denial before the next question (%s); what is denied after that is missing, whatever succeeds',
  async (how) => {
    let isDenied = true;
    const isGranted = () => Promise.resolve(!isDenied);
    const { look, told, ...requests } = setScene(
      () => (isDenied ? Promise.reject(new Error('denied')) : Promise.resolve(onTime)),
      isGranted,
    );
    expect((await look()).trouble).toBe('denied');
    await pass(500);
    requests[how]();
    expect(await look()).toEqual({ trouble: null, isUntried: false, ahead: null });
    for (let second = 0; second < 3; second += 1) {
      await pass(1_000);
      expect((await look()).trouble).toBe('denied');
      requests[how]();
      await pass(500);
      expect((await look()).trouble).toBe('denied');
    }
    isDenied = false;
    await pass(1_000);
    expect((await look()).trouble).toBeNull();
    expect(told).toEqual(['denied', null, 'denied', null]);
  },
);

test('FX-100: an outage while the right is asked for is no missing right, and the right is asked for again after it', async () => {
  let answer = (): Promise<boolean> => Promise.reject(new Error('away'));
  let write = (): Promise<ServerTime> => Promise.reject(new Error('denied'));
  const { look } = setScene(
    () => write(),
    () => answer(),
  );
  await look();
  await pass(1_000);
  expect(await look()).toMatchObject({ trouble: 'away', isUntried: false });
  answer = () => Promise.resolve(true);
  write = () => Promise.resolve(onTime);
  await pass(1_000);
  expect((await look()).trouble).toBeNull();
});

test('what is denied although it seems granted is tried more and more rarely: each try costs the connection of others', async () => {
  const { look, tried } = setScene(
    () => Promise.reject(new Error('denied')),
    () => Promise.resolve(true),
  );
  for (let second = 0; second < 60; second += 1) {
    expect(await look()).toMatchObject({ trouble: 'denied', isUntried: true });
    await pass(1_000);
  }
  expect(tried).toHaveBeenCalledTimes(6);
});

test.each([
  ['within what the call took', { asked: 1_000, created: 1_900, answered: 2_000 }, 0],
  ['ahead', { asked: 1_000, created: 46_000, answered: 2_000 }, 44_000],
  ['behind', { asked: 100_000, created: 60_000, answered: 102_000 }, -40_000],
])('OP-05: a clock is off by what the call cannot have taken: %s', async (_how, time, ahead) => {
  const { look } = setScene(() => Promise.resolve(time));
  expect(await look()).toMatchObject({ ahead });
});
