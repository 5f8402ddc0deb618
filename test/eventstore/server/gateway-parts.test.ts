import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { makeBackoff, pause } from '../../../src/common/backoff.ts';
import { checkConnectionString } from '../../../src/eventstore/server/connection-problems.ts';
import { bearLateAnswers, type WriteClient } from '../../../src/eventstore/client/write-client.ts';

describe('the connection string', () => {
  test.each([
    [
      'trap 13: with tls=false the client drops credentials',
      'esdb://ada:s3cret@127.0.0.1:2113?tls=false',
      /over TLS only/,
    ],
    ['trap 13, written otherwise', 'esdb+discover://ada:s3cret@db.example?TLS=false', /over TLS only/],
    ['trap 14: tlsVerifyCert=false has no effect', 'esdb://db.example?tls_verify_cert=false', /no effect/],
    [
      'trap 5: throwOnAppendFailure=false',
      'esdb://db.example?tls=true&throwOnAppendFailure=false',
      /wrong revisions/,
    ],
  ])('%s: refused', (_, url, message) => {
    expect(() => checkConnectionString(url)).toThrow(message);
    expect(() => checkConnectionString(url)).not.toThrow(/s3cret/);
  });

  test.each([
    'esdb://127.0.0.1:2113?tls=false',
    'esdb://ada:s3cret@db.example',
    'esdb://a,b,c?nodePreference=leader',
  ])('%s is fine', (url) => {
    expect(() => checkConnectionString(url)).not.toThrow();
  });
});

describe('waiting between tries', () => {
  test('the waits double up to the most, and start over after a reset', () => {
    const backoff = makeBackoff(100, 500, () => 0);
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  test('chance shortens a wait by half at most', () => {
    expect(makeBackoff(100, 500, () => 1).next()).toBe(50);
  });

  test('a signal ends the wait', async () => {
    const leave = new AbortController();
    const waiting = pause(3_600_000, leave.signal);
    leave.abort();
    await expect(waiting).resolves.toBeUndefined();
    await expect(pause(3_600_000, leave.signal)).resolves.toBeUndefined();
  });
});

test('an answer that the client throws at ends nothing, and those that it knows still reach it', async () => {
  const stream = new PassThrough({ objectMode: true });
  const taken: unknown[] = [];
  stream.on('data', (answer) => {
    if (answer === 'late') throw new TypeError('undefined is not iterable');
    taken.push(answer);
  });
  const client = { esdb: { disposableStreams: new Set([stream]) }, replies: 1 } as unknown as WriteClient;
  bearLateAnswers(client);
  bearLateAnswers(client);
  for (const answer of ['first', 'late', 'second']) stream.write(answer);
  stream.end();
  await once(stream, 'end');
  expect(taken).toEqual(['first', 'second']);
});
