import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { quietLogger } from './support/quiet-logger.ts';
import { allowTrouble, expectTrouble } from './support/trouble/expect-trouble.ts';
import { serverKilled } from './support/trouble/server-killed.ts';
import { watchedLogger, watchOutput } from './support/trouble/watched-lines.ts';

const printed = (text: string): Promise<void> => {
  const output = new PassThrough();
  watchOutput(output);
  output.end(text);
  return new Promise((resolve) => void output.on('close', () => setImmediate(resolve)));
};
const err = new Error('no connection');

const troubles: Record<string, { readonly cause: () => unknown; readonly expected: RegExp }> = {
  'an error': {
    cause: () => quietLogger().error({ subject: 'somebody' }, 'key lost'),
    expected: /^error: key lost .*somebody/,
  },
  'an alarm': {
    cause: () => quietLogger().warn({ alarm: true }, 'cannot be read'),
    expected: /^warn: cannot/,
  },
  'a stack trace': {
    cause: () => quietLogger().warn({ err }, 'a connection was lost'),
    expected: /was lost .*no connection/,
  },
  'an error of a service in this process': {
    cause: () => watchedLogger().error('stopping'),
    expected: /^error: stopping/,
  },
  'a stack trace of a service in this process': {
    cause: () => watchedLogger().warn({ err }, 'retrying'),
    expected: /^warn: retrying .*no connection/,
  },
  'an error of a process': {
    cause: () => printed('{"level":50,"time":1,"pid":2,"msg":"a key was parked"}\n'),
    expected: /^error: a key was parked/,
  },
  'an alarm of a process': {
    cause: () => printed('{"level":40,"alarm":true,"msg":"cannot be read"}\n'),
    expected: /^warn: cannot be read/,
  },
  'a stack trace that a process prints': {
    cause: () => printed(`Warning\n${err.stack}\n{"level":50,"ti`),
    expected: /^printed: Error: no connection/,
  },
};

describe('FX-84: a test fails in which there is', () => {
  test.fails.each(Object.entries(troubles))('%s', async (_name, { cause }) =>
    expect(await cause()).toBe(undefined),
  );
});

describe('FX-84: a test passes that expects', () => {
  test.each(Object.entries(troubles))('%s', async (_name, { cause, expected }) => {
    expectTrouble(expected);
    expect(await cause()).toBe(undefined);
  });
});

describe('FX-84: a suite', () => {
  const { error } = quietLogger();
  expectTrouble(/once in the suite/);
  test('may expect trouble of all its tests', () => expect(error({}, 'once in the suite')).toBe(undefined));
  test('of which some have none', () => expect(watchedLogger().level).toBe('warn'));
  test.fails('in which other trouble is a failure', () => expect(error({}, 'other')).toBe(undefined));
  afterAll(() => error({}, 'once in the suite, at its end'));
});

test.fails('FX-84: a test fails whose trouble does not come', () =>
  expect(expectTrouble(/never/)).toBe(undefined),
);

test('FX-84: trouble that comes at some moments only is allowed, and what is no trouble is', () => {
  allowTrouble(/sometimes/);
  const { lines, info, warn } = quietLogger();
  warn({ waitMs: 5 }, 'retrying');
  info({ alarm: false }, 'well');
  expect(lines).toHaveLength(2);
});

describe('FX-84: where a server is killed', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  test('a retry because of it is allowed', () => {
    allowTrouble(...serverKilled);
    const closed = new Error('grant-1: the append may be written: Error the event store was closed');
    expect(quietLogger().warn({ err: refused }, 'a read connection was lost')).toBe(undefined);
    expect(quietLogger().warn({ err: closed }, 'authorization failed')).toBe(undefined);
    expect(quietLogger().error({ err: refused }, 'starts again after a failure')).toBe(undefined);
  });
  test.fails.each([
    ['a parked key', { problem: refused.message, alarm: true }, 'lists cannot apply it: its key is parked'],
    ['a bug', { err: new TypeError('x is not a function') }, 'starts again after a failure'],
    ['a request that failed because of it, with 500', { err: refused }, 'request failed'],
  ])('%s is not', (_name, fields, message) => {
    allowTrouble(...serverKilled);
    expect(quietLogger().error(fields, message)).toBe(undefined);
  });
});
