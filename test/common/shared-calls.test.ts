import { expect, test } from 'vitest';
import { makeSharedCalls } from '../../src/common/shared-calls.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work whose outcome the test decides; `begun` holds the key of each that began. */
const setUp = () => {
  const begun: string[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const call = makeSharedCalls((key) => {
    const place = begun.push(key) - 1;
    return new Promise<number>((resolve, reject) => {
      ends[place] = (failure) => (failure ? reject(failure) : resolve(place));
    });
  });
  return { call, begun, end: (place: number, failure?: Error) => ends[place]?.(failure) };
};

test('a call is answered by work that began after it, which all calls in the meantime share', async () => {
  const { call, begun, end } = setUp();
  const first = call('a');
  const later = [call('a'), call('a'), call('a')];
  await settle();
  expect(begun).toEqual(['a']);
  end(0);
  expect(await first).toBe(0);
  await settle();
  expect(begun).toEqual(['a', 'a']);
  const third = call('a'); // the second has begun, so it would be too early for this one
  end(1);
  expect(await Promise.all(later)).toEqual([1, 1, 1]);
  await settle();
  end(2);
  expect(await third).toBe(2);
});

test('other keys are not waited for, and a call after all others begins at once', async () => {
  const { call, begun, end } = setUp();
  const both = [call('a'), call('b')];
  expect(begun).toEqual(['a', 'b']);
  end(0);
  end(1);
  expect(await Promise.all(both)).toEqual([0, 1]);
  const again = call('a');
  expect(begun).toEqual(['a', 'b', 'a']);
  end(2);
  expect(await again).toBe(2);
});

test('a failure is that of its own calls only', async () => {
  const { call, end } = setUp();
  const first = call('a').catch((error: Error) => error.message);
  const next = call('a');
  end(0, new Error('no answer'));
  expect(await first).toBe('no answer');
  await settle();
  end(1);
  expect(await next).toBe(1);
});
