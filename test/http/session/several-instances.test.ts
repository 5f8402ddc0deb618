import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { makeValueSigner } from '../../../src/http/session/value-signer.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
afterAll(() => http.close());

test('AZ-40: while instances change their keys one after the other, each takes what the others have signed', () => {
  const [older, newer, strange] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const before = makeValueSigner([older, newer]);
  const after = makeValueSigner([newer, older]);
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    expect(other.verify(one.sign({ id: 'any' }))).toEqual({ id: 'any' });
    expect(other.isProofOf('session', one.proofOf('session'))).toBe(true);
  }
  expect(makeValueSigner([strange]).verify(before.sign({ id: 'any' }))).toBeNull();
  expect(before.isProofOf('session', makeValueSigner([strange]).proofOf('session'))).toBe(false);
});

describe('FX-25: two installations on one host', () => {
  const elsewhere = { config: { baseUrl: 'http://localhost:8082' } };

  test('keep a browser signed in at both, although it sends the cookies of both to each', async () => {
    const other = await startHttpApp(elsewhere);
    const jar = new Map<string, string>();
    for (const app of [http, other]) {
      await createUser(app, 'both@harbour.example');
      await signedIn(app, { email: 'both@harbour.example' }, {}, jar);
    }
    for (const app of [http, other, http])
      expect((await testBrowser(app.app, {}, jar).get('/account')).body).toContain('both@harbour.example');
    const leaving = await testBrowser(http.app, {}, jar).get('/sign-out');
    await testBrowser(http.app, {}, jar).press(leaving, 'Sign out');
    expect((await testBrowser(http.app, {}, jar).get('/account')).headers.location).toMatch(/^\/sign-in\?/);
    expect((await testBrowser(other.app, {}, jar).get('/account')).statusCode).toBe(200);
    await other.close();
  });

  test('name their cookies after the address', () => {
    const name = (baseUrl: string, secureCookies: boolean) =>
      cookieName({ baseUrl, secureCookies }, 'device');
    expect(name('http://localhost:8080', false)).toMatch(/^grantbook_device_[0-9a-f]{8}$/);
    expect(name('https://a.example/x', true)).toMatch(/^__Host-grantbook_device_[0-9a-f]{8}$/);
    expect(name('https://a.example/x', true)).not.toBe(name('https://a.example/y', true));
  });
});

test('FX-25: a base URL with a path works whether the proxy strips it or not', async () => {
  const below = await startHttpApp({ config: { baseUrl: 'https://host.example/books' } });
  const get = (url: string) => below.app.inject(url);
  for (const base of ['', '/books']) {
    expect((await get(`${base}/health/live`)).statusCode).toBe(200);
    expect((await get(`${base}/.well-known/openid-configuration`)).statusCode).toBe(200);
    expect((await get(`${base}/account`)).headers.location).toMatch(/^\/books\/sign-in\?/);
    expect((await get(`${base}/sign-in?return_to=%2Faccount`)).body).toContain('action="/books/sign-in"');
    expect((await get(`${base}/nothing`)).statusCode).toBe(404);
  }
  expect((await get('/booksellers/health/live')).statusCode).toBe(404);
  expect((await get('/books')).statusCode).toBe((await get('/')).statusCode);
  await below.close();
});

test('FX-25: a path that begins like one of ours is left alone', async () => {
  const below = await startHttpApp({ config: { baseUrl: 'https://host.example/account' } });
  expect((await below.app.inject('/account/password')).headers.location).toMatch(/^\/account\/sign-in/);
  await below.close();
});
