import { afterAll, expect, test } from 'vitest';
import { valueOf } from '../../support/outcomes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { authorizeUrl, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let failure: Error | null = null;
const http = await startHttpApp({
  around: (needs) => ({
    ...needs,
    readModels: {
      ...needs.readModels,
      organizationsAdministeredBy: (id) =>
        failure ? Promise.reject(failure) : needs.readModels.organizationsAdministeredBy(id),
    },
    metrics: () => (failure ? Promise.reject(failure) : needs.metrics()),
  }),
});
const scene = await setScene(http);
afterAll(() => http.close());

const chrome = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const java = { accept: 'text/html, image/gif, image/jpeg, */*; q=0.2' };
const browserOf = () => signedIn(http, scene);

test('a person learns by a page with the header and a way on that nothing is there', async () => {
  const { statusCode, headers, body } = await (await browserOf()).get('/nowhere', chrome);
  expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(body).toMatch(/<header[^]*Ada Ahoi[^]*Sign out[^]*<\/header>[^]*Page not found[^]*Start page/);
  expect((await testBrowser(http.app).get('/nowhere', chrome)).body).not.toContain('Sign out');
});

test('at an address for add-ons a person gets a page, and still 405 with Allow', async () => {
  const { statusCode, headers, body } = await testBrowser(http.app).get('/oauth/token', chrome);
  expect([statusCode, headers.allow]).toEqual([405, expect.stringContaining('POST')]);
  expect(body).toContain('This page can’t be opened directly');
});

test('FX-21: who is signed in is not asked to sign in by a page that leads nowhere else', async () => {
  const { body } = await (await browserOf()).get('/oauth/authorize/decision', chrome);
  expect(body).toMatch(/This page can’t be opened directly[^]*href="\/">Start page</);
  expect((await testBrowser(http.app).get('/oauth/authorize/decision', chrome)).body).toContain(
    'href="/sign-in">Sign in<',
  );
});

test('a fault of ours is a page for a person, with a reference, and JSON for a program', async () => {
  expectTrouble(/^error: request failed .*a bug/);
  const browser = await browserOf();
  failure = new Error('a bug');
  const pages = [await browser.get('/admin'), await testBrowser(http.app).get('/metrics', chrome)];
  const problem = await testBrowser(http.app).get('/metrics', { accept: 'application/json' });
  failure = null;
  expect([...pages, problem].map(({ statusCode }) => statusCode)).toEqual([500, 500, 500]);
  for (const { headers, body } of pages) {
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toMatch(/Something went wrong[^]*Reference: <code>/);
    expect(body).not.toContain('a bug');
  }
  expect(problem.headers['content-type']).toContain('application/problem+json');
});

test('programs get JSON as ever: whatever they accept with a token, or when they post', async () => {
  for (const headers of [{}, { accept: '*/*' }, { ...java, authorization: 'Bearer x' }])
    expect((await testBrowser(http.app).get('/nowhere', headers)).headers['content-type']).toContain('json');
  const posted = await http.app.inject({ method: 'POST', url: '/oauth/jwks', headers: java });
  expect([posted.statusCode, posted.headers['content-type']]).toEqual([405, expect.stringContaining('json')]);
});

const outOfUse = [
  [
    'suspended',
    'en',
    /<h1>This add-on is suspended<\/h1>[^]*has suspended <bdi>Door Sync<\/bdi> [^]*Try again/,
  ],
  ['suspended', 'de', /<h1>Dieses Add-on ist gesperrt<\/h1>[^]*<bdi>Door Sync<\/bdi> für alle gesperrt/],
  ['retired', 'en', /<h1>This add-on is retired<\/h1>[^]*has retired <bdi>Door Sync<\/bdi> permanently/],
  ['retired', 'de', /<h1>Dieses Add-on wird nicht mehr angeboten<\/h1>[^]*<bdi>Door Sync<\/bdi> endgültig/],
] as const;

test('AZ-03: whoever comes from a suspended or retired add-on reads that, also for the first time (FX-98)', async () => {
  const { commands } = http;
  const other = await setScene(http);
  const retired = await setScene(http);
  await commands.suspendAddon(other.clientId);
  valueOf(await commands.retireAddon({ addonId: retired.clientId, by: 'break-glass', tokenId: null }));
  const strangers = [testBrowser(http.app), await browserOf()];
  for (const browser of strangers)
    for (const [how, language, words] of outOfUse) {
      const { clientId } = how === 'suspended' ? other : retired;
      // A parameter that is wrong, too, changes neither the words nor that nobody is sent anywhere.
      for (const change of [{}, { redirect_uri: 'https://evil.example/', state: undefined }]) {
        const told = await browser.get(authorizeUrl({ clientId }, change), { 'accept-language': language });
        expect([told.statusCode, told.headers.location]).toEqual([400, undefined]);
        expect(told.body).toMatch(words);
        expect(told.body).toContain('href="/account"');
        expect(told.body).not.toMatch(/This link is invalid|Dieser Link ist ungültig|evil/);
      }
    }
  await commands.resumeAddon(other.clientId);
  expect((await testBrowser(http.app).get(authorizeUrl(other))).statusCode).toBe(200);
});

test('AC-05: who administers an organization that has not activated the add-on learns why it is no choice', async () => {
  const page = await (await browserOf()).get(authorizeUrl(scene, { prompt: 'consent' }));
  expect(page.body).toMatch(/Not offered: <bdi>Harbour Club \d+<\/bdi>\. The add-on is not activated there/);
});
