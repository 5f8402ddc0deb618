import { afterAll, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, createUser, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { templatesOf } from '../../support/documents/registered-routes.ts';
import { cookieOf } from '../../support/scenes/our-cookies.ts';
import { eventually } from '../../support/eventually.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';

const store = memoryStore();
const http = await startHttpApp({ store });
const scene = await setScene(http);
const email = 'olga@harbour.example';
const auditorOf = [scene.organizationId];
await createUser(http, email, auditorOf, { auditorOf, roles: ['auditor', 'operator'] });
await activate(http, scene);
await obtainTokens(http, { ...scene, email }, { change: { scope: 'profiles:read' }, subject: 'user' });
const browser = await signedIn(http, { email });
// The first keys of an installation are made with the first need; a process that stood still for too long must ask again.
allowTrouble(/request failed: temporarily unavailable/);
await eventually(async () => {
  if ((await http.app.inject('/oauth/jwks')).statusCode !== 200) throw new Error('no keys yet');
});
await http.settle();
afterAll(() => http.close());

const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };

/** Every address that a GET finds, with ids that exist. */
const addresses = async (): Promise<readonly string[]> => {
  await http.app.ready();
  return templatesOf(http.app).map((template) =>
    template
      .replace('{organization_id}', scene.organizationId)
      .replace('{client_id}', scene.clientId)
      .replaceAll(/\{\w+\}/g, 'x'),
  );
};

test('CL-11: a link on another site makes no GET append, but for /oauth/authorize', async () => {
  const whole = [...(await addresses()), `/audit?organization=${scene.organizationId}`];
  const tried = [...whole, `/audit/grants?organization=${scene.organizationId}`].filter(
    (url) => url !== '/oauth/authorize',
  );
  expect(tried.length).toBeGreaterThan(30);
  for (const url of tried)
    for (const headers of [link, { ...link, 'sec-fetch-site': 'same-site' }]) {
      const before = store.all().length;
      const { statusCode } = await browser.get(url, headers);
      expect([url, statusCode, store.all().length]).toEqual([url, expect.any(Number), before]);
    }
  expect(await http.commands.readSession(cookieOf(browser, 'session') ?? '')).not.toBeNull();
});

test('CL-11: an auditor whom another site led to the log is asked, and the link on that page is recorded', async () => {
  const url = `/audit?organization=${scene.organizationId}`;
  const asked = await browser.get(url, link);
  expect(asked.body).toContain('Open the audit log?');
  expect(asked.body).toContain(`href="${url}"`);
  const before = store.all().length;
  const shown = await browser.get(url, { ...link, 'sec-fetch-site': 'same-origin' });
  expect(shown.statusCode).toBe(200);
  expect(
    store
      .all()
      .slice(before)
      .map(({ event }) => event.type),
  ).toEqual(['AuditQueried']);
});

test('CL-11: a form of another site, with which no cookie is sent, signs nobody out', async () => {
  const { statusCode, headers } = await http.app.inject({
    method: 'POST',
    url: '/sign-out',
    headers: { ...link, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([statusCode, headers.location]).toEqual([303, '/sign-out']);
  expect(headers['set-cookie']).toBeUndefined();
  expect((await browser.get('/sign-out')).body).toContain('>Sign out</button>');
});

test('FX-23: discovery and documents are readable from any origin, and answer preflights', async () => {
  for (const url of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/ssf-configuration',
    '/oauth/jwks',
    '/openapi.json',
    '/asyncapi.json',
  ]) {
    const read = await http.app.inject(url);
    expect([url, read.statusCode, read.headers['access-control-allow-origin']]).toEqual([url, 200, '*']);
    const preflight = await http.app.inject({ method: 'OPTIONS', url });
    expect([url, preflight.statusCode, preflight.headers]).toMatchObject([
      url,
      204,
      {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'if-none-match, traceparent, tracestate',
      },
    ]);
  }
  for (const url of ['/profiles', '/grant', '/oauth/userinfo', '/oauth/token', '/oauth/revoke']) {
    await setScene(http);
    const headers = { origin: 'https://addon.example' };
    const preflight = await http.app.inject({ method: 'OPTIONS', url, headers });
    expect([url, preflight.headers['access-control-allow-headers']]).toEqual([
      url,
      expect.stringMatching(/authorization, .*traceparent, tracestate$/),
    ]);
  }
  const change = await http.app.inject('/.well-known/change-password');
  expect([change.statusCode, change.headers.location]).toEqual([303, '/account/password']);
});
