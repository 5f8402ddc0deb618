import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptedCoding } from '../../../src/http/compression/compress.ts';
import { decodedBody } from '../../support/decoded-body.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, authorizeUrl, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { profileOf } from '../../support/scenes/profile.ts';

const http = await startHttpApp({ config: { baseUrl: 'http://127.0.0.1:8080' } });
const scene = await setScene(http);
await activate(http, scene);
const ada = await signedIn(http, scene);
const subject = `organization:${scene.organizationId}`;
const accessToken = (await obtainTokens(http, scene, { browser: ada, subject })).access_token;
afterAll(() => http.close());

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  http.app.inject({ method, url, headers });

const fixed = ['/openapi.json', '/asyncapi.json', '/problems', '/problems/not-found'];
/** Bytes up to which a page says too little twice to be halved. */
const few = 3_000;
/** Of less than 1 kB, so it is never compressed. */
const pageScript = /\/page-\w+\.js$/;
const assets = async () =>
  [(await get('/docs')).body, (await get('/sign-in')).body].flatMap((html) =>
    [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address = '']) => address),
  );

describe('DO-02: what is the same for everybody', () => {
  test('the script of the pages is too short to be compressed, and is not sent again either', async () => {
    const url = (await assets()).find((each) => pageScript.test(each)) ?? '';
    const { headers } = await get(url, { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], headers['content-type'], headers['cache-control']]).toEqual([
      undefined,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect((await get(url, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
  });

  test('has a strong tag for each coding, and is not sent again to whoever has it', async () => {
    const urls = [...fixed, ...(await assets())].filter((url) => !pageScript.test(url));
    expect(urls.length).toBe(8);
    for (const url of urls) {
      const plain = await get(url);
      const tags = [plain.headers.etag];
      for (const coding of ['br', 'gzip'] as const) {
        const answer = await get(url, { 'accept-encoding': coding });
        expect([url, answer.headers['content-encoding'], answer.headers.vary]).toEqual([
          url,
          coding,
          `${url.startsWith('/problems') ? 'Accept-Language, Cookie, ' : ''}Accept-Encoding`,
        ]);
        expect(decodedBody(answer)).toBe(plain.body);
        const share = answer.rawPayload.length / plain.rawPayload.length;
        expect([url, share]).toEqual([
          url,
          expect.toSatisfy((of: number) => of < (plain.rawPayload.length > few ? 0.5 : 1)),
        ]);
        expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
        const head = await get(url, { 'accept-encoding': coding }, 'HEAD');
        expect([head.headers['content-length'], head.headers.etag, head.body]).toEqual([
          answer.headers['content-length'],
          answer.headers.etag,
          '',
        ]);
        const again = await get(url, {
          'accept-encoding': coding,
          'if-none-match': String(answer.headers.etag),
        });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', answer.headers.etag]);
        tags.push(answer.headers.etag);
      }
      expect(tags.every((tag) => /^"[\w-]+"$/.test(String(tag)))).toBe(true);
      expect(new Set(tags).size).toBe(3);
    }
  });
});

describe('DO-06: text answers above 1 kB', () => {
  const list = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    get('/profiles?per_page=100', { authorization: `Bearer ${accessToken}`, ...headers }, method);

  beforeAll(async () => {
    for (let index = 0; index < 30; index += 1)
      await http.commands.recordProfile({
        organizationId: scene.organizationId,
        id: `p${index}`,
        version: 1,
        record: profileOf(`Person ${index}`),
      });
    await http.settle();
  });

  test('are compressed where the request asks for it, and keep their weak tag', async () => {
    const plain = await list();
    expect(plain.rawPayload.length).toBeGreaterThan(1_024);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers.vary).toBe('Authorization, Accept-Encoding');
    for (const coding of ['br', 'gzip'] as const) {
      const answer = await list({ 'accept-encoding': coding });
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(decodedBody(answer)).toBe(plain.body);
      expect(answer.headers.etag).toBe(plain.headers.etag);
      const again = await list({ 'accept-encoding': coding, 'if-none-match': String(answer.headers.etag) });
      expect([again.statusCode, again.body]).toEqual([304, '']);
      expect(again.headers).not.toHaveProperty('content-encoding');
    }
  });

  test('short ones are not', async () => {
    const answer = await get('/health/live', { 'accept-encoding': 'br, gzip' });
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('tokens are not, and say no-transform', async () => {
    const fresh = await obtainTokens(http, scene, { browser: ada, subject: 'user' });
    const answer = await http.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'accept-encoding': 'br, gzip', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: scene.clientId,
        refresh_token: fresh.refresh_token,
      }).toString(),
    });
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store, no-transform']);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('pages with forms are not, and say no-transform; pages without are', async () => {
    const cookies = Object.fromEntries(ada.cookies);
    const asked = { headers: { 'accept-encoding': 'br, gzip' } };
    const approval = authorizeUrl(scene, { prompt: 'consent' });
    for (const url of [approval, '/account', '/account/tokens/new', '/sign-out']) {
      const page = await http.app.inject({ url, cookies, ...asked });
      expect([url, page.statusCode, page.body.includes('<form')]).toEqual([url, 200, true]);
      expect(page.headers['cache-control']).toBe('no-store, no-transform');
      expect(page.headers).not.toHaveProperty('content-encoding');
    }
    const without = await http.app.inject({ url: '/admin', cookies, ...asked });
    const plain = await http.app.inject({ url: '/admin', cookies });
    expect([plain.body.includes('<form'), plain.headers['cache-control']]).toEqual([false, 'no-store']);
    expect(without.headers['content-encoding']).toBe(plain.rawPayload.length > 1_024 ? 'br' : undefined);
  });
});

test.each([
  [undefined, null],
  ['', null],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['identity', null],
  ['deflate', null],
  ['br;q=0, gzip;q=0', null],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br;q=hush', null],
])('DO-06: Accept-Encoding %j means %j', (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding);
});
