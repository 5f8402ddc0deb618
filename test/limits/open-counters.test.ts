import { beforeEach, expect, test } from 'vitest';
import { openCounters } from '../../src/http/limits/counters/open-counters.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let calls: unknown[] = [];
beforeEach(() => void (calls = []));

const openReader = (options: object) => {
  calls.push(['opened', options]);
  return {
    query: (_statement: object, values: readonly unknown[]) => {
      calls.push(['asked', values[0]]);
      return Promise.reject(new Error('away'));
    },
    close: () => Promise.resolve(void calls.push('closed')),
  };
};
const needs = { openReader, hide: (key: string) => `hidden ${key}`, logger: quietLogger() };
const policy = { name: 'token', quota: 1, window: 60 } as const;

test('in memory no connection is opened', async () => {
  const counters = openCounters({ ...needs, store: 'memory' });
  expect(await counters.make(policy).count('A')).toMatchObject({ exceeded: false });
  await counters.close();
  expect(calls).toEqual([]);
});

test('in the database it has one of its own, with little patience, that is closed with the counters', async () => {
  expectTrouble(/requests are counted in memory .*away/);
  const counters = openCounters({ ...needs, store: 'database' });
  await counters.make(policy).count('A');
  await counters.close();
  expect(calls).toEqual([['opened', { timeoutMs: 500 }], ['asked', 'hidden token A'], 'closed']);
});
