import type { LightMyRequestResponse } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { templatesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { startEdgeServer } from '../../support/servers/edge-server.ts';

const http = await startHttpApp();
await http.app.ready();
afterAll(() => http.close());

const routed = templatesOf(http.app).map((path) => path.replaceAll(/\{\w+\}/g, '01JD0000000000000000000000'));
const paths = [...routed, '/nowhere', '/%hush'];

test('CL-09: nosniff and Cache-Control are on every answer, whatever is asked for', async () => {
  const answers: LightMyRequestResponse[] = [];
  for (const url of paths) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const)
      answers.push(await http.app.inject({ method, url }));
    const { etag } = (await http.app.inject({ url })).headers;
    if (etag !== undefined)
      answers.push(await http.app.inject({ url, headers: { 'if-none-match': String(etag) } }));
  }
  expect(answers.length).toBeGreaterThan(paths.length * 7);
  for (const status of [200, 204, 304, 400, 401, 404, 405])
    expect(answers.map(({ statusCode }) => statusCode)).toContain(status);
  const bare = answers.filter(
    ({ headers }) => headers['x-content-type-options'] !== 'nosniff' || !headers['cache-control'],
  );
  expect(bare.map(({ raw }) => `${raw.req.method} ${raw.req.url}`)).toEqual([]);
});

test('CL-09: HSTS is on every answer where the public address is https, and on none where it is not', async () => {
  const secure = await startEdgeServer({ config: { baseUrl: 'https://auth.example' } });
  for (const url of ['/nowhere', '/%hush'])
    expect((await secure.app.inject({ url })).headers['strict-transport-security']).toBe('max-age=31536000');
  expect((await http.app.inject({ url: '/health/live' })).headers).not.toHaveProperty(
    'strict-transport-security',
  );
});
