import type { InjectOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  postToken,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { createPollStream, ownToken } from '../../support/scenes/told-addons.ts';
import { basic, obtainTokensOf, presentAs, refreshOf } from '../../support/scenes/presented-tokens.ts';

// `inject` itself compares each answer with the document (test/support/documents/described.ts). This story makes sure that every
// operation for programs is among them, with what it promises and with what it refuses.

const http = await startHttpApp();
const scene = await setScene(http, {
  allowedScopes: ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'],
  confidential: true,
});
await activate(http, scene);
const browser = testBrowser(http.app);
afterAll(() => http.close());

const lists = ['/profiles', '/reservations', '/access-rights'];

const send = (method: InjectOptions['method'], url: string, more: InjectOptions = {}) =>
  http.app.inject({ method: method ?? 'GET', url, ...more });

const asAdministrator = () => ({ cookies: Object.fromEntries(browser.cookies) });

test('each operation for programs answers what it promises, and refuses as it says', async () => {
  const change = { scope: 'openid profiles:read reservations:read access-rights:read' };
  const subject = `organization:${scene.organizationId}`;
  const { access_token, refresh_token } = await obtainTokensOf(http, scene, { browser, subject, change });
  const bearer = { authorization: `Bearer ${access_token}` };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  for (const url of lists) {
    const { etag } = (await listWith(http, url, access_token)).headers;
    await send('GET', url, { headers: { ...bearer, 'if-none-match': etag } });
    await listWith(http, `${url}?page=0`, access_token);
    await send('GET', url);
    await send('OPTIONS', url, { headers: { origin: 'https://addon.example' } });
  }
  await send('GET', '/grant', { headers: bearer });
  await send('GET', '/grant?x=1', { headers: bearer });
  await send('GET', '/grant');
  await send('OPTIONS', '/grant');
  await send('GET', '/oauth/userinfo', { headers: bearer });
  await send('POST', '/oauth/userinfo', {
    headers: form,
    payload: new URLSearchParams({ access_token }).toString(),
  });
  await send('GET', '/oauth/userinfo');
  await send('GET', '/oauth/userinfo?access_token=x');
  await send('POST', '/oauth/userinfo');
  await send('POST', '/oauth/userinfo', { headers: form, payload: 'access_token=a&access_token=b' });
  await refreshOf(http, scene, refresh_token);
  await postToken(http.app, {});
  await postToken(http.app, { grant_type: 'refresh_token' }, basic(scene.clientId, 'wrong'));
  for (const url of ['/oauth/introspect', '/oauth/revoke'] as const) {
    await presentAs(http, url, scene, { token: access_token });
    await presentAs(http, url, scene, {});
    await presentAs(http, url, { ...scene, clientSecret: 'wrong' }, { token: access_token });
  }
  for (const url of ['/oauth/token', '/oauth/revoke', '/oauth/userinfo'])
    await send('OPTIONS', url, { headers: { origin: 'https://addon.example' } });

  const addons = `/organizations/${scene.organizationId}/addons`;
  const activation = `${addons}/${scene.clientId}/activation`;
  const unknown = `${addons}/01JD0000000000000000000000/activation`;
  await send('GET', addons, asAdministrator());
  await send('GET', addons);
  await send('GET', `${addons}?x=1`, asAdministrator());
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    await send(method, activation, asAdministrator());
    await send(method, activation);
    await send(method, unknown, asAdministrator());
    await send(method, `${activation}?x=1`, asAdministrator());
  }
  await listWith(http, '/profiles', access_token);

  const email = 'audrey@harbour.example';
  await createUser(http, email, [], { roles: ['auditor'], auditorOf: [scene.organizationId] });
  const audrey = await signedIn(http, { email });
  await http.settle();
  await http.tellHistory();
  const histories = `/audit/organizations/${scene.organizationId}`;
  for (const url of ['/audit/organizations', `${histories}/timeline`, `${histories}/grants`]) {
    await audrey.get(url);
    await audrey.get(`${url}?x=1`);
    await send('GET', url);
  }
  const ownHistory = `/organizations/${scene.organizationId}/timeline`;
  await send('GET', ownHistory, asAdministrator());
  await send('GET', `${ownHistory}?x=1`, asAdministrator());
  await send('GET', ownHistory);

  await manageAsAddon();
  await pollAsAddon();

  for (const url of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/oauth/jwks',
    '/.well-known/ssf-configuration',
    '/.well-known/oauth-protected-resource',
    '/openapi.json',
    '/asyncapi.json',
  ]) {
    await send('GET', url);
    await send('OPTIONS', url);
  }
  for (const url of [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/docs',
    '/docs/connect-your-add-on',
    '/problems',
    '/problems/not-found',
  ])
    await send('GET', url);
  await send('GET', '/problems/none');

  const missing = (await promised()).filter((answer) => !http.answered.has(answer));
  expect(missing).toEqual([]);
});

const tokenFor = async (scope: 'ssf.read' | 'ssf.manage') => ({
  authorization: `Bearer ${await ownToken(http, scene.clientId, scope)}`,
});

/** An add-on creates its stream, and deletes it again. */
const manageAsAddon = async (): Promise<void> => {
  const headers = await tokenFor('ssf.manage');
  const made = await send('POST', '/ssf/streams', { headers, payload: {} });
  const { stream_id: id } = made.json<{ stream_id: string }>();
  const withBody = [
    ['POST', '/ssf/streams'],
    ['PATCH', '/ssf/streams'],
    ['PUT', '/ssf/streams'],
    ['POST', '/ssf/status'],
    ['POST', '/ssf/verify'],
  ] as const;
  for (const [method, url] of withBody) {
    await send(method, url, { headers, payload: { stream_id: id, status: 'enabled' } });
    await send(method, url, { headers, payload: [] });
    await send(method, url, { headers, payload: { stream_id: 'x', status: 'enabled' } });
    await send(method, url, { payload: {} });
  }
  for (const [method, url] of [
    ['GET', '/ssf/streams'],
    ['GET', '/ssf/status'],
    ['DELETE', '/ssf/streams'],
  ] as const) {
    for (const query of [`stream_id=x`, 'stream_id=x&stream_id=x', `stream_id=${id}`])
      await send(method, `${url}?${query}`, { headers });
    await send(method, url);
  }
};

/** An add-on polls for what it is told. */
const pollAsAddon = async (): Promise<void> => {
  const url = `/ssf/poll/${await createPollStream(http, scene.clientId)}`;
  const headers = await tokenFor('ssf.read');
  await send('POST', url, { headers, payload: { returnImmediately: true } });
  await send('POST', url, { headers, payload: { maxEvents: 'all' } });
  await send('POST', url, { payload: {} });
  await send('POST', '/ssf/poll/unknown', { headers, payload: {} });
};

/** The first success of each operation that is not for people, and 400, 401 and 404 where it has them. */
const promised = async (): Promise<readonly string[]> =>
  (await describedOperations(http.app))
    .filter(({ template }) => !/^\/(operator|publisher)\/api\//.test(template)) // operator-api.test.ts and publisher-api.test.ts ask them all
    .filter(({ template }) => !/^\/(oauth\/(authorize|logout)|sign-in\/backchannel-logout)/.test(template)) // pages, and what providers call: the tests of browsers and providers see them
    .flatMap(({ method, template, operation: { responses } }) => {
      const [success, ...statuses] = Object.keys(responses);
      const refusals = statuses.filter((status) => ['400', '401', '404'].includes(status));
      return [success, ...refusals].map((status) => `${method} ${template} ${status}`);
    });
