import { expect, onTestFinished, test } from 'vitest';
import { atMostEvery } from '../../../src/common/at-most-every.ts';
import { buildManagementServer } from '../../../src/http/requests/base-server.ts';
import type { HttpParts } from '../../../src/compose/server.ts';
import { composeServer } from '../../../src/compose/server.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';

const start = async (options: Parameters<typeof startHttpApp>[0] = {}) => {
  const http = await startHttpApp(options);
  onTestFinished(() => http.close());
  return http;
};

test('DO-03: readiness and metrics are computed once a second at most, however often they are asked for', async () => {
  let looks = 0;
  let scrapes = 0;
  const http = await start({
    around: (needs) => ({
      ...needs,
      readiness: () => {
        looks += 1;
        return Promise.resolve({ ready: true, checks: {} });
      },
      metrics: () => {
        scrapes += 1;
        return Promise.resolve([]);
      },
    }),
    startAt: Date.UTC(2026, 0, 1), // the clock stands still, but for `advance`
  });
  const askOften = async () => {
    const asked = Array.from({ length: 20 }, () => [
      http.app.inject({ url: '/health/ready' }),
      http.app.inject({ url: '/metrics' }),
    ]);
    for (const { statusCode } of await Promise.all(asked.flat())) expect(statusCode).toBe(200);
  };
  await askOften();
  http.advance(999);
  await askOften();
  expect([looks, scrapes]).toEqual([1, 1]);
  http.advance(1);
  await askOften();
  expect([looks, scrapes]).toEqual([2, 2]);
});

test('DO-03: whoever asks during a computation that takes long waits for that one; a failure is answered to all', async () => {
  let fail: (error: Error) => void = () => undefined;
  let computed = 0;
  let time = 0;
  const ask = atMostEvery(
    1_000,
    () => {
      computed += 1;
      return new Promise<never>((_resolve, reject) => (fail = reject));
    },
    () => time,
  );
  const first = ask();
  time = 5_000;
  const second = ask();
  expect(computed).toBe(1);
  fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect(second).rejects.toThrow('away');
  void ask().catch(() => undefined);
  expect(computed).toBe(2);
});

test('DO-03: with a management server, readiness and metrics are answered there only, and liveness on both', async () => {
  let needs: HttpParts | undefined;
  await start({ around: (given) => (needs = given) });
  if (!needs) throw new Error('no needs');
  const management = buildManagementServer(needs);
  const main = composeServer(needs, management);
  onTestFinished(async () => void (await Promise.all([main.close(), management.close()])));
  const statuses = async (app: typeof main) =>
    Promise.all(
      ['/health/live', '/health/ready', '/metrics', '/profiles'].map(
        async (url) => (await app.inject({ url })).statusCode,
      ),
    );
  expect(await statuses(main)).toEqual([200, 404, 404, 401]);
  expect(await statuses(management)).toEqual([200, 200, 200, 404]);
});

test('OP-03: readiness says stopping (503) from the announcement of a stop on, and everything else is still answered', async () => {
  const stopping = new AbortController();
  const http = await start({ stopping: stopping.signal });
  expect((await http.app.inject({ url: '/health/ready' })).json().status).toBe('ready');
  stopping.abort();
  const ready = await http.app.inject({ url: '/health/ready' });
  expect([ready.statusCode, ready.json().status]).toEqual([503, 'stopping']);
  expect((await http.app.inject({ url: '/health/live' })).json()).toEqual({
    status: 'live',
    version: '0.0.0-test',
    commit: '0123456789abcdef',
  });
});
