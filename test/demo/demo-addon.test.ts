import { afterAll, expect, test } from 'vitest';
import { registerDemoAddon } from '../../demo/demo-addon.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { activate, password, setScene } from '../support/scenes/http-scene.ts';
import { testBrowser } from '../support/scenes/pages.ts';

/** The link that `npm start` prints leads here: what a person clicks through has to end well. */

const baseUrl = `http://127.0.0.1:${await freePort()}`;
const http = await startHttpApp({ config: { baseUrl, issuer: baseUrl } });
const scene = await setScene(http, {
  redirectUris: [`${baseUrl}/demo/callback`],
  configurationUrl: `${baseUrl}/demo`,
  allowedScopes: ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'],
});
await activate(http, scene);
registerDemoAddon(http.app, { baseUrl, clientId: scene.clientId });
await http.app.listen({ host: '127.0.0.1', port: Number(new URL(baseUrl).port) });
afterAll(() => http.close());

const pathOf = (location: string | undefined): string => {
  const { pathname, search } = new URL(location ?? '', http.baseUrl);
  return pathname + search;
};

test('the demo link leads through sign-in and approval to the first access rights', async () => {
  const browser = testBrowser(http.app);
  const signIn = await browser.get(pathOf((await browser.get('/demo')).headers.location));
  const approval = await browser.follow(
    await browser.press(signIn, 'Sign in', { email: scene.email, password }),
  );
  const back = await browser.press(approval, 'Allow');
  const story = await browser.get(pathOf(back.headers.location));
  expect(story.body).toContain('Door Opener is connected');
  expect(story.body).toContain(scene.organizationId);
  expect(story.statusCode).toBe(200);
});

test('AP-03: the link that follows an activation asks for that organization', async () => {
  const { organizationId } = scene;
  const link = `/demo?activation_hint=x&organization=${organizationId}`;
  const { location = '' } = (await testBrowser(http.app).get(link)).headers;
  expect(new URL(location).searchParams.get('organization')).toBe(organizationId);
});

test('an answer that another browser began, and a refusal, are explained in plain words', async () => {
  const browser = testBrowser(http.app);
  const location = (await browser.get('/demo')).headers.location ?? '';
  const state = new URL(location).searchParams.get('state') ?? '';
  const stranger = await testBrowser(http.app).get(`/demo/callback?code=stolen&state=${state}`);
  expect(stranger.statusCode).toBe(400);
  await browser.get('/demo');
  const again = new URL((await browser.get('/demo')).headers.location ?? '').searchParams.get('state') ?? '';
  const denied = await browser.get(`/demo/callback?error=access_denied&state=${again}`);
  expect(denied.body).toContain('access_denied');
});
