import { expect, test, vi } from 'vitest';
import { makePollPlaces } from '../../src/signals/poll-places.ts';

/** Longer than a test may take: only what is tested ends the wait. */
const long = 600_000;

test('SG-07: a notification between taking a place and waiting is not missed', async () => {
  const places = makePollPlaces();
  const place = places.take('s1', long);
  places.wake('s1');
  expect(await place.next()).toBe('woken');
  place.leave();
});

test('SG-07: every poll of the stream is woken, and none of another', async () => {
  const places = makePollPlaces();
  const [first, second, other] = [places.take('s1', long), places.take('s1', long), places.take('s2', long)];
  const waiting = [first.next(), second.next()];
  const elsewhere = other.next();
  places.wake('s1');
  expect(await Promise.all(waiting)).toEqual(['woken', 'woken']);
  places.stop();
  expect(await elsewhere).toBe('over');
});

test('SG-07: a client that goes away frees its place, once', async () => {
  const places = makePollPlaces();
  const place = places.take('s1', long);
  const waiting = place.next();
  expect(places.count()).toBe(1);
  place.leave();
  place.leave();
  expect([await waiting, places.count()]).toEqual(['over', 0]);
});

test('SG-07: a hundred polls of one stream wait, and one notification wakes them all', async () => {
  const places = makePollPlaces();
  const waiting = Array.from({ length: 100 }, () => places.take('s1', long).next());
  expect(places.count()).toBe(100);
  places.wake('s1');
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'woken'));
  places.stop();
  expect(places.count()).toBe(0);
});

test('SG-07: a stop answers all, and later polls wait for a moment only', async () => {
  vi.useFakeTimers();
  try {
    const places = makePollPlaces();
    const waiting = places.take('s1', long).next();
    places.stop();
    expect(await waiting).toBe('over');
    const later = places.take('s1', long).next();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await later).toBe('over');
    expect(places.count()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('after an interruption all are woken, a hundred at a time', async () => {
  vi.useFakeTimers();
  try {
    const places = makePollPlaces();
    let woken = 0;
    for (let stream = 0; stream < 250; stream += 1)
      void places
        .take(`s${stream}`, long)
        .next()
        .then((why) => (woken += why === 'woken' ? 1 : 0));
    places.wakeAllGently();
    const after = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return woken;
    };
    expect([await after(0), await after(50), await after(50)]).toEqual([100, 200, 250]);
    places.stop();
  } finally {
    vi.useRealTimers();
  }
});
