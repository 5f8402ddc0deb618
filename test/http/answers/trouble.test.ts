import { inspect } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { verifier } from '../../support/scenes/grants.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  exchange,
  obtainCode,
  obtainTokens,
  password,
  redirectUri,
  refreshWith,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let http: HttpApp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

test('G-07: without the event store, every answer is 503 with Retry-After, never 200 and never invalid_grant', async () => {
  expectTrouble(/^warn: request failed: temporarily unavailable/);
  let isDown = false;
  const check = () => {
    if (isDown) throw new EventStoreUnavailable('the event store is away');
  };
  http = await startHttpApp({ store: memoryStore({ beforeAppend: check, beforeRead: check }) });
  const scene = await setScene(http);
  await activate(http, scene);
  const secretive = await setScene(http, { confidential: true });
  const browser = await signedIn(http, scene);
  const tokens = await obtainTokens(http, scene, { browser, subject: 'user' });
  const code = await obtainCode(http, scene, { browser, subject: 'user' });
  const signIn = await testBrowser(http.app).get('/sign-in');
  const other = testBrowser(http.app);
  for (const { name, value } of signIn.cookies) other.cookies.set(name, value);
  const cookies = Object.fromEntries(browser.cookies);
  const activation = `/organizations/${scene.organizationId}/addons/${scene.clientId}/activation`;
  const signOutPage = await browser.get('/sign-out');
  const postForm = (url: string, fields: Readonly<Record<string, string>>) =>
    browser.post(url, {
      client_id: secretive.clientId,
      client_secret: secretive.clientSecret ?? '',
      ...fields,
    });
  isDown = true;
  const answers = [
    await exchange(http, scene, code),
    await refreshWith(http, scene, tokens.refresh_token),
    await http.app.inject({ method: 'PUT', url: activation, cookies }),
    await http.app.inject({ method: 'DELETE', url: activation, cookies }),
    await browser.get('/admin'),
    await other.press(signIn, 'Sign in', { email: scene.email, password }),
    await postForm('/oauth/revoke', { token: tokens.refresh_token }),
    await postForm('/oauth/revoke', { token: tokens.access_token }),
    await postForm('/oauth/introspect', { token: tokens.refresh_token }),
    await browser.press(signOutPage, 'Sign out'),
    await browser.get('/oauth/logout'),
    await http.app.inject({ url: activation, cookies }),
    await browser.get('/oauth/authorize?client_id=01JZZZZZZZZZZZZZZZZZZZZZZZ'),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 503));
  expect(answers.every(({ headers }) => /^\d+$/.test(String(headers['retry-after'])))).toBe(true);
  expect(answers[0]?.json().error).toBe('temporarily_unavailable');
  expect(answers[1]?.json().error).toBe('temporarily_unavailable');
  isDown = false;
  expect((await exchange(http, scene, code)).statusCode).toBe(200);
  expect((await refreshWith(http, scene, tokens.refresh_token)).statusCode).toBe(200);
});

test('G-05: a crash leaves nothing of what was sent in the log, and only the log knows more', async () => {
  expectTrouble(/^error: (?:request|a request of an add-on) failed/);
  const crash = () => {
    throw new Error('boom: select * from secrets');
  };
  http = await startHttpApp({
    around: (needs) => ({
      ...needs,
      commands: {
        ...needs.commands,
        exchangeCode: crash,
        refreshToken: crash,
        revokeToken: crash,
        signIn: crash,
      },
    }),
  });
  const scene = await setScene(http, { confidential: true });
  const client = { client_id: scene.clientId, client_secret: scene.clientSecret ?? '' };
  const browser = testBrowser(http.app);
  const page = await browser.get('/sign-in');
  const sent = { code: 'hush-code', code_verifier: 'hush-verifier', redirect_uri: redirectUri };
  const answers = [
    await browser.post('/oauth/token?scope=hush', { grant_type: 'authorization_code', ...client, ...sent }),
    await browser.post('/oauth/token', {
      grant_type: 'refresh_token',
      ...client,
      refresh_token: 'hush-token',
    }),
    await browser.post('/oauth/revoke', { ...client, token: 'hush-token' }),
    await browser.press(page, 'Sign in', { email: scene.email, password }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500]);
  for (const { body } of answers) expect(body).not.toMatch(/boom|select|at .*\.ts/);
  for (const token of answers.slice(0, 2)) expect(token.json().error).toBe('server_error');
  const failures = http.lines.filter(({ level }) => level === 'error');
  expect(failures).toHaveLength(4);
  const log = inspect(http.lines, { depth: null, showHidden: true });
  for (const secret of ['hush', client.client_secret, password]) expect(log).not.toContain(secret);
});

test('G-05: no code, token, verifier, secret, cookie or query string is in any line of the log', async () => {
  http = await startHttpApp();
  const scene = await setScene(http, { confidential: true });
  await activate(http, scene);
  const browser = testBrowser(http.app);
  const code = await obtainCode(http, scene, { browser, subject: 'user' });
  const secret = scene.clientSecret ?? '';
  const query = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: scene.clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }).toString();
  const authorization = `Basic ${Buffer.from(`${scene.clientId}:${secret}`).toString('base64')}`;
  const headers = { authorization };
  const answer = await http.app.inject({ method: 'POST', url: `/oauth/token?${query}`, headers });
  const tokens = answer.json();
  await http.app.inject({ url: `/profiles?access_token=${tokens.access_token}`, headers });
  await refreshWith(http, scene, tokens.refresh_token);
  const log = JSON.stringify(http.lines);
  expect(log).toContain('/oauth/token');
  const secrets = [
    code,
    tokens.access_token,
    tokens.refresh_token,
    secret,
    authorization,
    verifier,
    password,
  ];
  for (const value of [...secrets, ...browser.cookies.values(), 'code_challenge', 'grant_type'])
    expect(log).not.toContain(value);
});

test('CL-09: a line names the route as it is in the code, and never an unknown or a filled-in address', async () => {
  http = await startHttpApp();
  const { organizationId, clientId } = await setScene(http);
  await http.app.inject({ url: `/organizations/${organizationId}/addons/${clientId}/activation` });
  await http.app.inject({ url: '/hush/mkt_at_hush' });
  await http.app.inject({ url: '/%hush' });
  const lines = http.lines.filter(({ message }) => message === 'request');
  expect(lines.map(({ fields }) => (fields as { readonly path: string }).path)).toEqual([
    '/organizations/:organization_id/addons/:client_id/activation',
    '(none)',
  ]);
  for (const secret of ['hush', organizationId, clientId])
    expect(JSON.stringify(http.lines)).not.toContain(secret);
});

test('LI-01: a method that no path offers is refused, and the line names it, with a route or without', async () => {
  http = await startHttpApp();
  for (const url of ['/health/live', '/nowhere'])
    for (const method of ['PROPFIND', 'TRACE'] as const)
      await http.app.inject({ method: method as 'GET', url });
  const lines = http.lines.map(
    ({ fields }) => fields as Readonly<Record<'method' | 'path' | 'status', unknown>>,
  );
  expect(lines.map(({ method, path, status }) => [method, path, status])).toEqual([
    ['PROPFIND', '/health/live', 405],
    ['TRACE', '/health/live', 405],
    ['PROPFIND', '(none)', 404],
    ['TRACE', '(none)', 404],
  ]);
});

test('one line a request: what, how it ended, how long it took', async () => {
  http = await startHttpApp();
  await http.app.inject({ url: '/health/live?x=1' });
  await http.app.inject({ url: '/nowhere?secret=1' });
  const fields = (path: string, status: number) => ({
    requestId: expect.any(String),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    method: 'GET',
    path,
    status,
    ms: expect.any(Number),
  });
  expect(http.lines).toEqual([
    { level: 'debug', message: 'request', fields: fields('/health/live', 200) },
    { level: 'info', message: 'request', fields: fields('(none)', 404) },
  ]);
});
