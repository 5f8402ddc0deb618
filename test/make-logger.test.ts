import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import pg from 'pg';
import { makeLogger } from '../src/process/make-logger.ts';
import { ConnectionLost } from '../src/projections/leadership/leader-session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Line = { readonly level: number; readonly msg: string } & Readonly<Record<string, unknown>>;

const logging = () => {
  const written: string[] = [];
  const { logger, flush } = makeLogger({ level: 'info' }, { write: (line) => void written.push(line) });
  const lines = () => written.map((line) => JSON.parse(line) as Line);
  return { logger, flush, written, lines, messages: () => lines().map(({ msg }) => msg) };
};

const away = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test('FX-40: no log line contains a client object that a library attached to its error', () => {
  const { logger, lines, written } = logging();
  const client = new pg.Client('postgresql://grantbook:a-secret@127.0.0.1:1/grantbook');
  const causes = [Object.assign(away(), { client, detail: 'the first' })];
  const error = Object.assign(new AggregateError(causes, 'all failed'), {
    client,
    code: '08006',
    nested: { client, host: '127.0.0.1' },
    list: [1, client],
  });
  logger.error({ err: error }, 'it failed');
  expect(lines()[0]).toMatchObject({
    err: {
      type: 'AggregateError',
      message: 'all failed',
      stack: expect.stringContaining('all failed') as string,
      code: '08006',
      nested: { host: '127.0.0.1' },
      aggregateErrors: [{ message: 'read ECONNRESET', code: 'ECONNRESET', detail: 'the first' }],
    },
  });
  expect(written.join()).not.toContain('client');
  expect(written.join()).not.toMatch(/a-secret|connectionParameters/);
});

test('FX-40: an outage of 20 s, reported by every worker and every request, writes at most 20 lines', async () => {
  const { logger, lines, messages } = logging();
  const workers = Array.from({ length: 12 }, (_, index) => `worker-${index}`);
  for (let second = 0; second < 20; second += 1) {
    for (const checkpoint of workers) {
      if (second === 0) logger.warn({ err: new ConnectionLost('lost'), checkpoint }, 'lost leadership');
      logger.error(
        { err: away(), checkpoint, failures: second, alarm: true },
        'starts again after a failure',
      );
    }
    for (const channel of ['a', 'b', 'c']) logger.warn({ err: away() }, `cannot listen on ${channel} now`);
    for (let request = 0; request < 50; request += 1) {
      logger.warn({ err: away() }, 'request failed: temporarily unavailable');
      logger.warn({ status: 503 }, 'request');
      logger.warn({ cause: 'UNAVAILABLE' }, 'event store: retrying the read');
    }
    await vi.advanceTimersByTimeAsync(1_000);
  }
  for (const checkpoint of workers) logger.info({ checkpoint, epoch: '1' }, 'leads');
  await vi.advanceTimersByTimeAsync(30_000);

  expect(lines().length).toBeLessThanOrEqual(20);
  expect(new Set(messages())).toEqual(
    new Set([
      'lost leadership',
      'starts again after a failure',
      ...['a', 'b', 'c'].map((channel) => `cannot listen on ${channel} now`),
      'request failed: temporarily unavailable',
      'request',
      'event store: retrying the read',
      'more lines of the same kind, only counted here',
    ]),
  );
  const summaries = lines().filter(({ msg }) => msg.startsWith('more lines'));
  expect(summaries[0]).toMatchObject({
    level: 50,
    alarm: true,
    checkpoints: expect.arrayContaining(workers) as string[],
  });
  // Nothing is lost: what is not written is counted.
  const counted = summaries.flatMap(({ lines: left }) => Object.entries(left as Record<string, number>));
  const total = (message: string) =>
    counted.filter(([of]) => of === message).reduce((sum, [, count]) => sum + count, 0) +
    messages().filter((each) => each === message).length;
  expect(['starts again after a failure', 'request', 'leads'].map(total)).toEqual([240, 1000, 12]);
});

test('FX-46: a worker that fails for another reason, again and again, is not written more than every 5 s either', async () => {
  const { logger, lines } = logging();
  const fail = (checkpoint: string, message: string) =>
    logger.error({ err: new Error(message), checkpoint, alarm: true }, 'starts again after a failure');
  for (let second = 0; second < 20; second += 1) {
    for (const checkpoint of ['a', 'b']) fail(checkpoint, 'relation "checkpoints" does not exist');
    logger.warn({ err: new Error('relation "outages" does not exist') }, 'cannot listen now');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  fail('a', 'permission denied');
  const missing = { 'starts again after a failure': 'relation "checkpoints" does not exist' };
  expect(lines()).toMatchObject([
    { msg: 'starts again after a failure', checkpoint: 'a' },
    { msg: 'cannot listen now' },
    { level: 50, alarm: true, checkpoints: ['b', 'a'], errors: missing },
    { level: 50, alarm: true, lines: { 'starts again after a failure': 20 }, errors: missing },
    { msg: 'starts again after a failure', err: { message: 'permission denied' } },
  ]);
});

test('FX-40: other lines are all written, and so is the first of the next outage', async () => {
  const { logger, flush, messages } = logging();
  for (const context of [{ err: new TypeError('a bug') }, { err: away(), fatal: 1 }]) {
    logger.error(context, 'stopping after a failure');
    logger.error(context, 'stopping after a failure');
  }
  logger.info({ status: 200 }, 'request');
  logger.info({ status: 200 }, 'request');
  expect(messages()).toHaveLength(6);

  logger.warn({ err: away() }, 'lost');
  await vi.advanceTimersByTimeAsync(20_000);
  logger.warn({ err: away() }, 'lost');
  logger.warn({ err: away() }, 'lost');
  expect(messages().slice(6)).toEqual(['lost', 'lost']);
  flush();
  expect(messages().slice(8)).toEqual(['more lines of the same kind, only counted here']);
});
