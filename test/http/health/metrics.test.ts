import { afterAll, describe, expect, test } from 'vitest';
import { admin } from '../../../src/http/admin/plugin.ts';
import { readiness } from '../../../src/http/health/health.ts';
import { lists } from '../../../src/http/lists/lists.ts';
import { exposition, metrics } from '../../../src/http/metrics/metrics.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import { setScene } from '../../support/scenes/http-scene.ts';

let degraded = false;
const gauge = { name: 'grantbook_info', help: 'The version.', type: 'gauge' } as const;
const ofService = [{ ...gauge, samples: [{ labels: { version: '7' }, value: 1 }] }];
const ready = () =>
  Promise.resolve({ ready: true, degraded, checks: { kafka: degraded ? 'unreachable since then' : 'ok' } });
const http = await startPlugins((parts) => [
  admin(parts),
  lists(parts),
  metrics({ ...parts, metrics: () => Promise.resolve(ofService) }),
  readiness({ ...parts, readiness: ready }),
]);
const scene = await setScene(http);
afterAll(() => http.close());

/** A second later than whatever was computed before (DO-03). */
const get = async (url: string) => {
  http.advance(1_000);
  return http.app.inject({ url });
};
const scrape = async () => (await get('/metrics')).body.split('\n');
const linesOf = async (start: string) => (await scrape()).filter((line) => line.startsWith(start));

describe('/metrics', () => {
  test('is open to everybody, in the text format of Prometheus', async () => {
    const answer = await http.app.inject({ url: '/metrics' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toContain(
      '# HELP grantbook_info The version.\n# TYPE grantbook_info gauge\ngrantbook_info{version="7"} 1\n',
    );
    const metric = /^\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? ([0-9.e+-]+|\+Inf)$/;
    const comment = /^# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))$/;
    const wrong = answer.body.split('\n').filter((line) => !metric.test(line) && !comment.test(line));
    expect(wrong).toEqual(['']); // after the last line feed
  });

  test('counts answers by method, route and status, and how long they took', async () => {
    const before = await linesOf('grantbook_http_requests_total{method="GET",route="/profiles"');
    expect(before).toEqual([]);
    for (let index = 0; index < 3; index += 1) await http.app.inject({ url: '/profiles?page=2' });
    await http.app.inject({ method: 'POST', url: '/profiles' });
    expect(await linesOf('grantbook_http_requests_total{method="GET",route="/profiles"')).toEqual([
      'grantbook_http_requests_total{method="GET",route="/profiles",status="401"} 3',
    ]);
    expect(await linesOf('grantbook_http_requests_total{method="POST",route="/profiles"')).toEqual([
      'grantbook_http_requests_total{method="POST",route="/profiles",status="405"} 1',
    ]);
    const duration = 'grantbook_http_request_duration_seconds';
    const buckets = await linesOf(`${duration}_bucket{method="GET",route="/profiles"`);
    const counts = buckets.map((line) => Number(line.split(' ').at(-1)));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toBe(`${duration}_bucket{method="GET",route="/profiles",le="+Inf"} 3`);
    expect(await linesOf(`${duration}_count{method="GET",route="/profiles"`)).toEqual([
      `${duration}_count{method="GET",route="/profiles"} 3`,
    ]);
    const [sum = ''] = await linesOf(`${duration}_sum{method="GET",route="/profiles"`);
    expect(Number(sum.split(' ').at(-1))).toBeGreaterThan(0);
  });

  test('has no address that somebody made up and no id in a label', async () => {
    const { organizationId, clientId } = scene;
    await http.app.inject({ url: '/hush/hush?hush=1' });
    await http.app.inject({ url: `/organizations/${organizationId}/addons/${clientId}/activation` });
    const body = (await scrape()).join('\n');
    expect(body).toContain('grantbook_http_requests_total{method="GET",route="(none)",status="404"} 1');
    expect(body).toContain('route="/organizations/:organization_id/addons/:client_id/activation"');
    for (const secret of ['hush', organizationId, clientId]) expect(body).not.toContain(secret);
  });

  test('escapes what would end a label or a line', () => {
    const odd = { name: 'a', help: 'b\\\nc', type: 'gauge' } as const;
    const samples = [{ labels: { d: '"\\\n' }, value: Infinity }];
    expect(exposition([{ ...odd, samples }])).toBe(
      '# HELP a b\\\\\\nc\n# TYPE a gauge\na{d="\\"\\\\\\n"} +Inf\n',
    );
  });
});

test('readiness stays 200 and says degraded when what no request needs is away', async () => {
  degraded = true;
  const answer = await get('/health/ready');
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { status: 'degraded', checks: { kafka: 'unreachable since then', tokens: 'accepted' } },
  ]);
  http.setTrusted(false);
  const untrusted = await get('/health/ready');
  http.setTrusted(true);
  expect([untrusted.statusCode, untrusted.json().status]).toEqual([503, 'not-ready']);
  degraded = false;
  expect((await get('/health/ready')).json().status).toBe('ready');
});
