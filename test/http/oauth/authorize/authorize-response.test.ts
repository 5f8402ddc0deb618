import type { LightMyRequestResponse } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { discovery } from '../../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { defaultLifetimes } from '../../../../src/commands/kernel/dependencies.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  authorizeUrl,
  obtainCode,
  password,
  returned,
  setScene,
  signedIn,
} from '../../../support/scenes/http-scene.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { testBrowser } from '../../../support/scenes/pages.ts';

/** What an add-on is sent back, byte for byte, and when. */

const http = await startPlugins([authorize, discovery, session, tokenEndpoints]);
const scene = await setScene(http);
afterAll(() => http.close());

test.each([
  'https://addon.example/cb?x=%41%7e&y=a+b&z&&=q%2F(1)',
  "https://addon.example/cb?next=https://other.example/?a=1&it's",
  'https://ADDON.example:443/a%2fb/?',
  'com.example.app:/cb?X=%c3%a9',
])('AZ-50: the own query of %s comes back octet for octet, with a code and with an error', async (uri) => {
  const theirs = await setScene(http, { redirectUris: [uri] });
  const browser = await signedIn(http, theirs);
  const location = (answer: LightMyRequestResponse) => {
    expect(answer.statusCode).toBe(303);
    return String(answer.headers.location);
  };
  const glue = uri.includes('?') ? (uri.endsWith('?') ? '' : '&') : '?';
  const page = await browser.get(authorizeUrl(theirs, { redirect_uri: uri }));
  const code = location(await browser.press(page, 'Allow'));
  const error = location(await browser.get(authorizeUrl(theirs, { redirect_uri: uri, scope: '"' })));
  expect(code.startsWith(`${uri}${glue}code=mkt_code_`)).toBe(true);
  expect(error.startsWith(`${uri}${glue}error=invalid_scope&`)).toBe(true);
});

test('AZ-51: iss is the issuer of the metadata, on success, on an error of the checks and on a denial', async () => {
  const elsewhere = await startPlugins([authorize, discovery, session, tokenEndpoints], {
    config: { issuer: 'https://issuer.example/Tenant' },
  });
  const theirs = await setScene(elsewhere);
  const browser = await signedIn(elsewhere, theirs);
  const page = () => browser.get(authorizeUrl(theirs, { prompt: 'consent' }));
  const answers = [
    await browser.press(await page(), 'Allow'),
    await browser.press(await page(), 'Do not allow'),
    await browser.get(authorizeUrl(theirs, { scope: '"' })),
    await testBrowser(elsewhere.app).get(authorizeUrl(theirs, { prompt: 'none' })),
  ];
  const metadata = await elsewhere.app.inject({ url: '/.well-known/openid-configuration' });
  const { issuer } = metadata.json<{ readonly issuer: string }>();
  await elsewhere.close();
  expect(issuer).toBe('https://issuer.example/Tenant');
  expect(answers.map((answer) => returned(answer)['iss'])).toEqual(answers.map(() => issuer));
});

test('AZ-42: no answer of the authorize endpoint has a CORS header, to whoever asks', async () => {
  const origin = { origin: 'https://addon.example' };
  const browser = await signedIn(http, scene);
  const answers = [
    await browser.get(authorizeUrl(scene), origin),
    await browser.get(authorizeUrl(scene, { prompt: 'none' }), origin),
    await browser.get('/oauth/authorize', origin),
    await browser.press(await browser.get(authorizeUrl(scene)), 'Allow'),
    await http.app.inject({ method: 'OPTIONS', url: '/oauth/authorize', headers: origin }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 303, 400, 303, 405]);
  const names = answers.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('AZ-54: while the event is not stored, there is no answer; when it is, there is one', async () => {
  let store = () => undefined as void;
  const stored = new Promise<void>((resolve) => (store = resolve));
  let arrived = () => undefined as void;
  const appending = new Promise<void>((resolve) => (arrived = resolve));
  const slow = await startPlugins([authorize, discovery, session, tokenEndpoints], {
    store: memoryStore({
      beforeAppend: async (stream) => {
        if (!stream.startsWith('grant-')) return;
        arrived();
        await stored;
      },
    }),
  });
  const theirs = await setScene(slow);
  const browser = await signedIn(slow, theirs);
  const page = await browser.get(authorizeUrl(theirs));
  let answered = false;
  const answer = browser.press(page, 'Allow').then((given) => {
    answered = true;
    return given;
  });
  await appending;
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(answered).toBe(false);
  store();
  expect(returned(await answer)).toHaveProperty('code');
  await slow.close();
});

test('AZ-52: a code lives for a minute, unless the operator says otherwise', () => {
  expect(defaultLifetimes.code).toBe(60_000);
});

test('AZ-36, AZ-35, AZ-34: "login consent" shows both, in that order, although everything was approved', async () => {
  const browser = await signedIn(http, scene);
  await obtainCode(http, scene, { browser });
  for (const prompt of ['login consent', 'consent login']) {
    const page = await browser.get(authorizeUrl(scene, { prompt }));
    expect(page.body).toContain('name="password"');
    const next = await browser.press(page, 'Sign in', { email: scene.email, password });
    const approval = await browser.follow(next);
    expect(approval.body).toContain('Allow Door Sync?');
    expect(returned(await browser.press(approval, 'Allow'))).toHaveProperty('code');
  }
});

test('AZ-31, AZ-20: prompt=none with a session that is older than max_age is login_required', async () => {
  const own = await startPlugins([authorize, discovery, session, tokenEndpoints]);
  const theirs = await setScene(own);
  const browser = await signedIn(own, theirs);
  await obtainCode(own, theirs, { browser });
  const silent = (maxAge: string) =>
    browser.get(authorizeUrl(theirs, { prompt: 'none', max_age: maxAge })).then(returned);
  own.advance(100_000);
  expect(await silent('3600')).toHaveProperty('code');
  expect((await silent('100'))['error']).toBe('login_required');
  await own.close();
});
