import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import type { Method } from '../../../src/http/openapi/describe.ts';
import { rawProblem } from '../../../src/http/connections/raw-problem.ts';
import { describedOperations, documentOf } from '../../support/documents/described-operations.ts';
import { makeCompare } from '../../support/documents/described.ts';
import { offeredBy, templatesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';

const http = await startHttpApp();
afterAll(() => http.close());

const withIds = ({ method, template }: { readonly method: Method; readonly template: string }) => ({
  method,
  url: template.replace(/\{\w+\}/g, '01JD0000000000000000000000'),
});

// `inject` itself compares each answer with the document (test/support/documents/described.ts).
test.each<readonly [number, InjectOptions]>([
  [415, { headers: { 'content-encoding': 'gzip' }, payload: 'x' }],
  [417, { headers: { expect: 'x' } }],
  [501, { headers: { 'transfer-encoding': 'gzip' } }],
])('every operation and page answers %i, as the document says', async (status, request) => {
  const operations = (await offeredBy(http.app)).map(withIds);
  expect(operations.length).toBeGreaterThan(100);
  for (const asked of operations) {
    const { statusCode } = await http.app.inject({ ...asked, ...request });
    expect([asked, statusCode]).toEqual([asked, status]);
  }
});

test('every operation has the 408 of a request that does not arrive', async () => {
  const [head = '', body = ''] = rawProblem({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, http.baseUrl).split(
    '\r\n\r\n',
  );
  const fields = head.split('\r\n').slice(1).map((line) => line.split(': ') as [string, string]); // prettier-ignore
  const headers: LightMyRequestResponse['headers'] = Object.fromEntries(fields);
  const answer = { statusCode: 408, headers, body, rawPayload: Buffer.from(body) } as LightMyRequestResponse;
  const { app, baseUrl } = http;
  const compare = makeCompare({ document: await documentOf(app), templates: templatesOf(app), baseUrl });
  for (const asked of (await describedOperations(app)).map(withIds))
    expect([asked, compare(asked, answer).wrong]).toEqual([asked, []]);
});
