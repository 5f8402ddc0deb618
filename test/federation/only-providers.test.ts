import { randomBytes } from 'node:crypto';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { signInProviderChecks } from '../../src/cli/doctor/sign-in-providers.ts';
import { startHostileProvider, json } from '../support/servers/hostile-provider.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  password,
  refreshWith,
  returned,
  setScene,
  type Tokens,
} from '../support/scenes/http-scene.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { formsOf, testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import { projectAll } from '../support/log/test-projector.ts';
import { cookieOf } from '../support/scenes/our-cookies.ts';

const claims: Record<string, unknown> = { name: 'Katherine Johnson' };

const providerAt = (id: string) =>
  hostile.settings(id, {
    name: `The ${id} provider`,
    claims: { administratorOf: 'orgs', roles: 'roles' },
  });

const hostile = await startHostileProvider({
  right: { claims: () => claims },
  away: { discovery: (answer) => json(answer, {}, 500) },
});
const http = await startHttpApp({ signIn: { local: false, providers: [providerAt('right')] } });
afterAll(async () => {
  await http.close();
  await hostile.close();
});

/** The provider signs the user in, who comes back to `to`, by default to where they came from. */
const backFrom = async (browser: TestBrowser, address = '', to = browser) => {
  expect(address).toMatch(new RegExp(`^${hostile.issuerOf('right')}/authorize`));
  const sent = new URL(address).searchParams;
  const code = randomBytes(8).toString('hex');
  hostile.expect(code, sent.get('nonce') ?? '');
  return to.get(`/sign-in/callback/right?code=${code}&state=${sent.get('state')}`);
};

test('FE-01: without passwords the sign-in page goes straight to the only provider', async () => {
  const browser = testBrowser(http.app);
  const leaving = await browser.get('/sign-in?return_to=%2Faccount');
  expect(leaving.statusCode).toBe(303);
  const back = await backFrom(browser, leaving.headers.location);
  expect([back.statusCode, back.headers.location]).toEqual([303, '/account']);
});

test('FX-10: without passwords nobody chooses or changes one, and nobody is invited to', async () => {
  const token = 'mkt_link_whatever';
  const browser = testBrowser(http.app);
  await backFrom(browser, (await browser.get('/sign-in')).headers.location);
  const refused = [
    await browser.get(`/choose-password?link=${token}`),
    await browser.post('/choose-password', {
      link: token,
      password: 'battery staple',
      again: 'battery staple',
    }),
    await browser.get('/account/password'),
  ];
  const csrf = formsOf((await browser.get('/account')).body).find(
    ({ action }) => action === '/sign-out',
  )?.fields;
  refused.push(
    await browser.post('/account/password', {
      csrf: csrf?.['csrf'] ?? '',
      present: 'x',
      password,
      again: password,
    }),
  );
  for (const page of refused) {
    expect(page.statusCode).toBe(403);
    expect(page.body).toContain('Passwords and passkeys are switched off');
  }
});

test('FE-01: without passwords a form with one is refused, and of two providers the user chooses', async () => {
  const scene = await setScene(http);
  const both = testBrowser(
    http.another((needs) => ({
      ...needs,
      federation: {
        ...needs.federation,
        providers: [...needs.federation.providers, { id: 'away', name: 'The away provider' }],
      },
    })),
  );
  const page = await both.get('/sign-in');
  expect(page.body).not.toContain('name="password"');
  expect(page.body).toContain('Sign in with The away provider');
  const interaction = /name="interaction" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  const refused = await both.post('/sign-in', { interaction, email: scene.email, password });
  expect(refused.statusCode).toBe(403);
  expect(cookieOf(both, 'session')).toBeUndefined();
});

test('FE-08: who left from one instance comes back to another', async () => {
  const cookies = new Map<string, string>();
  const one = testBrowser(http.app, {}, cookies);
  const other = testBrowser(http.another(), {}, cookies);
  const leaving = await one.get('/sign-in');
  expect((await backFrom(one, leaving.headers.location, other)).statusCode).toBe(303);
  expect((await one.get('/account')).body).toContain('Katherine Johnson');
});

test('FE-04, FE-06: an administrator by claim allows an add-on, whose grant lives on after a back-channel logout', async () => {
  const scene = await setScene(http);
  await activate(http, scene);
  Object.assign(claims, { orgs: [{ organization_id: scene.organizationId }] });
  const browser = testBrowser(http.app);
  const leaving = await browser.get(authorizeUrl(scene));
  const back = await backFrom(browser, leaving.headers.location);
  await http.settle();
  const approval = await browser.follow(back);
  const subject = `organization:${scene.organizationId}`;
  const { code = '' } = returned(await browser.press(approval, 'Allow', { subject }));
  const tokens = (await exchange(http, scene, code)).json<Tokens>();
  const token = await hostile.signLogoutToken('right', {
    sub: 'user-of-right',
    jti: randomBytes(8).toString('hex'),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  const logout = await http.app.inject({
    method: 'POST',
    url: '/sign-in/backchannel-logout/right',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token: token }).toString(),
  });
  expect(logout.statusCode).toBe(200);
  expect((await browser.get('/account')).statusCode).toBe(303);
  expect((await refreshWith(http, scene, tokens.refresh_token)).statusCode).toBe(200);
  // The next sign-in has no such claim any more: nor has the user the role.
  delete claims['orgs'];
  const again = await browser.get('/sign-in');
  await backFrom(browser, again.headers.location);
  const session = await http.commands.readSession(cookieOf(browser, 'session') ?? '');
  expect(await http.commands.isAdministrator(scene.organizationId, session?.userId ?? '')).toBe(false);
});

test('FX-14: a role by claim is there on the first page, however late the read models are', async () => {
  const log = memoryStore();
  const waited: unknown[] = [];
  const late = await startHttpApp({
    store: log,
    projector: null,
    signIn: { local: false, providers: [providerAt('right')] },
    around: (needs) => ({
      ...needs,
      readModels: {
        ...needs.readModels,
        // The read models get there while somebody waits for them, and not before.
        waitFor: async (position) => {
          waited.push(position);
          await projectAll(late.database.url, log);
          return true;
        },
      },
    }),
  });
  onTestFinished(() => late.close());
  const made = await late.commands.createOrganization({ name: 'Harbour House' });
  await projectAll(late.database.url, log);
  Object.assign(claims, { sub: 'first-page', orgs: [made.ok ? made.value.organizationId : ''] });
  const signIn = async () => {
    const browser = testBrowser(late.app);
    return browser.follow(await backFrom(browser, (await browser.get('/sign-in')).headers.location));
  };
  const first = await signIn();
  expect(first.statusCode).toBe(200);
  expect(first.body).toContain('Harbour House');
  // Nobody waits where nothing has changed.
  expect(waited).toHaveLength(1);
  expect((await signIn()).body).toContain('Harbour House');
  expect(waited).toHaveLength(1);
  for (const name of ['sub', 'orgs']) delete claims[name];
});

test('FX-05: a back-channel logout pauses the tokens of an operator by claim, and the page says so', async () => {
  Object.assign(claims, { sub: 'operator-by-claim', roles: ['operator'] });
  const scene = await setScene(http);
  claims['orgs'] = [scene.organizationId];
  await http.settle();
  const signIn = async (sid: string) => {
    const browser = testBrowser(http.app);
    claims['sid'] = sid;
    expect((await backFrom(browser, (await browser.get('/sign-in')).headers.location)).statusCode).toBe(303);
    return browser;
  };
  const [desk, phone] = [await signIn('desk'), await signIn('phone')];
  const session = await http.commands.readSession(cookieOf(phone, 'session') ?? '');
  const userId = session?.userId ?? '';
  const made = { userId, organizationId: null, name: 'nightly', days: 365, by: userId };
  const issued = await http.commands.issueAdministratorToken(made);
  const authorization = `Bearer ${issued.ok ? issued.value.token : ''}`;
  const ask = async () =>
    (await http.app.inject({ url: '/operator/api/organizations', headers: { authorization } })).statusCode;
  expect(await ask()).toBe(200);
  expect((await phone.get('/account')).body).toMatch(/Rights until \d+ \w+ \d+/);
  const token = await hostile.signLogoutToken('right', {
    sid: 'desk',
    jti: randomBytes(8).toString('hex'),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  await desk.post('/sign-in/backchannel-logout/right', { logout_token: token });
  expect(await ask()).toBe(403);
  expect((await desk.get('/account')).statusCode).toBe(303);
  expect((await phone.get('/account')).body).toContain('Rights from your sign-in provider are paused');
  await signIn('desk');
  expect(await ask()).toBe(200);
  http.advance(30 * 86_400_000);
  expect(await ask()).toBe(403);
  for (const name of ['sub', 'sid', 'roles', 'orgs']) delete claims[name];
});

test('FE-01: doctor names a provider that cannot be reached', async () => {
  const checks = signInProviderChecks({
    ...readConfig({}),
    signIn: { local: true, providers: [providerAt('right'), providerAt('away')] },
  });
  const found = (await Promise.all(checks.map(({ run }) => run()))).flat();
  expect(found.map(({ check, state }) => [check, state])).toEqual([
    ['sign-in provider right', 'ok'],
    ['sign-in provider away', 'warning'],
  ]);
  expect(found[1]?.found).toContain('The away provider: ');
});
