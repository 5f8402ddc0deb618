import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBrowser } from '../../../../src/http/base/browser.ts';
import { account } from '../../../../src/http/account/plugin.ts';
import { federation } from '../../../../src/http/federation/plugin.ts';
import { logout } from '../../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { EventStoreUnavailable } from '../../../../src/eventstore/event-store.ts';
import { sessionStream } from '../../../../src/domain/streams.ts';
import { startPlugins, type PluginApp } from '../../../support/scenes/plugin-app.ts';
import {
  createUser,
  exchange,
  obtainCode,
  password,
  refreshWith,
  setScene,
  signedIn,
  type Scene,
} from '../../../support/scenes/http-scene.ts';
import { formsOf, testBrowser, type TestBrowser } from '../../../support/scenes/pages.ts';
import { expectTrouble } from '../../../support/trouble/expect-trouble.ts';

const out = 'https://addon.example/out?from=%67rantbook';
let down = false;
const http = await startPlugins((parts) => {
  const signOut: typeof parts.commands.signOut = (...given) =>
    down ? Promise.reject(new EventStoreUnavailable('down')) : parts.commands.signOut(...given);
  const commands = { ...parts.commands, signOut };
  return [account(parts), logout({ ...parts, commands }), session(parts), tokenEndpoints(parts)];
});
const allowedScopes = ['openid', 'profiles:read'] as const;
const scene = await setScene(http, { allowedScopes, postLogoutRedirectUris: [out, 'com.example.app:/out'] });
const email = `eve@${scene.organizationId.toLowerCase()}.example`;
const eve = { ...scene, email, userId: await createUser(http, email) };
await http.settle();
afterAll(() => http.close());

type Answered = { readonly id_token: string; readonly refresh_token: string };
const tokensOf = async (by: Scene) => {
  const flow = { subject: 'user', change: { scope: 'openid profiles:read' } };
  return (await exchange(http, by, await obtainCode(http, by, flow))).json<Answered>();
};
type Sent = Readonly<Record<string, string>>;
const url = (sent: Sent) => `/oauth/logout?${new URLSearchParams(sent).toString()}`;
const isSignedIn = async (browser: TestBrowser) => (await browser.get('/account')).statusCode === 200;
const leads = ({ statusCode, headers }: LightMyRequestResponse) => [statusCode, headers.location];

describe('with an id_token of the user who is signed in', () => {
  test('the session ends at once, in the log and in the browser, and the way back carries the state', async () => {
    const { id_token } = await tokensOf(scene);
    const browser = await signedIn(http, scene);
    const [name = '', cookie = ''] =
      [...browser.cookies].find(([key]) => key.startsWith('grantbook_session')) ?? [];
    const sent = { id_token_hint: id_token, post_logout_redirect_uri: out, state: 'a b&c=+%#ü' };
    const answer = await browser.get(url(sent));
    expect(leads(answer)).toEqual([303, `${out}&state=a%20b%26c%3D%2B%25%23%C3%BC`]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(browser.cookies.has(name)).toBe(false);
    browser.cookies.set(name, cookie);
    expect(await isSignedIn(browser), 'the cookie opens nothing any more').toBe(false);
    const ended = await http.store.read(sessionStream(cookie.split('.')[0] ?? ''));
    expect(ended.events.map(({ event }) => event.type)).toEqual(['SessionStarted', 'SessionEnded']);
  });

  test('RT-17: what the user granted lives on', async () => {
    const { id_token, refresh_token } = await tokensOf(scene);
    const browser = await signedIn(http, scene);
    await browser.get(url({ id_token_hint: id_token }));
    expect(await isSignedIn(browser)).toBe(false);
    expect((await refreshWith(http, scene, refresh_token)).statusCode).toBe(200);
  });

  test('it may be posted, may have expired, and needs no address to go to', async () => {
    const { id_token } = await tokensOf(scene);
    http.advance(7_200_000);
    const browser = await signedIn(http, scene);
    const hint = { id_token_hint: id_token, client_id: scene.clientId, logout_hint: 'x', ui_locales: 'de' };
    const answer = await browser.post('/oauth/logout', hint);
    expect(leads(answer)).toEqual([303, '/sign-out']);
    expect((await browser.follow(answer)).body).toContain('You are signed out');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("another site's form, which arrives without the session's cookie, does the same", async () => {
    const { id_token } = await tokensOf(scene);
    const browser = await signedIn(http, scene);
    const elsewhere = testBrowser(http.app);
    const sent = { id_token_hint: id_token, post_logout_redirect_uri: out };
    const posted = await elsewhere.post('/oauth/logout', sent);
    expect(posted.headers.location).not.toContain(id_token);
    for (const [name, value] of elsewhere.cookies) browser.cookies.set(name, value);
    expect(leads(await browser.get(posted.headers.location ?? ''))).toEqual([303, out]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('any state comes back as it was sent', async () => {
    const { id_token } = await tokensOf(scene);
    const comesBack = async (state: string) => {
      const browser = await signedIn(http, scene);
      const answer = await browser.get(
        url({ id_token_hint: id_token, post_logout_redirect_uri: out, state }),
      );
      expect(new URL(answer.headers.location ?? '').searchParams.get('state')).toBe(state);
    };
    const states = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 });
    await fc.assert(fc.asyncProperty(states, comesBack), { numRuns: 15 });
  });

  test('G-07: when the event store is away, nobody is said to be signed out', async () => {
    expectTrouble(/request failed: temporarily unavailable .*down/);
    const { id_token } = await tokensOf(scene);
    const browser = await signedIn(http, scene);
    down = true;
    const answer = await browser.get(url({ id_token_hint: id_token, post_logout_redirect_uri: out }));
    down = false;
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.headers.location).toBeUndefined();
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe('without one, the user is asked', () => {
  test.each<[string, (tokens: Answered) => Sent]>([
    ['nothing', () => ({})],
    ['only the name of the add-on', () => ({ client_id: scene.clientId })],
    ["another user's id_token", ({ id_token }) => ({ id_token_hint: id_token })],
  ])('sent was %s: the link alone signs nobody out, the button does', async (_what, sent) => {
    const browser = await signedIn(http, scene);
    const page = await browser.get(url(sent(await tokensOf(eve))));
    expect([page.statusCode, page.headers.location]).toEqual([200, undefined]);
    expect(page.body).toContain('Ada Ahoi');
    expect(page.body).toContain('lang="en"');
    expect(await isSignedIn(browser)).toBe(true);
    const answer = await browser.press(page, 'Sign out');
    expect(leads(answer)).toEqual([303, '/sign-out']);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a registered address of the named add-on is gone to afterwards, and said before', async () => {
    const browser = await signedIn(http, scene);
    const sent = { client_id: scene.clientId, post_logout_redirect_uri: out, state: 's' };
    const page = await browser.get(url(sent));
    expect(page.body).toContain('You will be sent to <strong><bdi>addon.example</bdi></strong>');
    const pressed = await Promise.all([browser.press(page, 'Sign out'), browser.press(page, 'Sign out')]);
    expect(pressed.map(leads), 'an impatient second click').toEqual(
      pressed.map(() => [303, `${out}&state=s`]),
    );
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('AZ-08, AZ-43: the page may not be framed or kept, and its form may lead out', async () => {
    const browser = await signedIn(http, scene);
    for (const sent of [{}, { post_logout_redirect_uri: 'https://evil.example/"><b>', state: '"><b>' }]) {
      const page = await browser.get(url(sent));
      expect(page.headers).toMatchObject({
        'cache-control': 'no-store, no-transform',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      expect(page.headers['content-security-policy']).not.toContain('form-action');
      expect(page.headers).not.toHaveProperty('access-control-allow-origin');
      expect(page.body).not.toContain('<b>');
      expect(page.body).not.toContain('evil.example');
    }
  });
});

describe('what an add-on does wrong is shown and never redirected, and the user may still sign out', () => {
  const wrong = async (sent: Sent, more = '') => {
    const browser = await signedIn(http, scene);
    const page = await browser.get(url(sent) + more);
    expect([page.statusCode, page.headers.location]).toEqual([400, undefined]);
    expect(await isSignedIn(browser)).toBe(true);
    expect(leads(await browser.press(page, 'Sign out'))).toEqual([303, '/sign-out']);
    expect(await isSignedIn(browser)).toBe(false);
    return page.body;
  };

  test.each([
    'https://evil.example/',
    'https://ADDON.example/out?from=%67rantbook',
    'https://addon.example/out?from=grantbook',
    `${out}&x=1`,
    `${out}#f`,
    'https://addon.example/out',
    'https://addon.example:443/out?from=%67rantbook',
    'https://addon.example/cb?x=1',
    'com.example.app:/out/',
    'javascript:alert(1)',
    '/out',
  ])('AZ-05: %s is not the registered address', async (uri) => {
    const { id_token } = await tokensOf(scene);
    const body = await wrong({ id_token_hint: id_token, post_logout_redirect_uri: uri });
    expect(body).toContain('post_logout_redirect_uri is not registered');
  });

  test('an address that nobody vouches for, or that another add-on registered', async () => {
    const other = await setScene(http, { allowedScopes: ['openid'] });
    const { id_token } = await tokensOf(scene);
    expect(await wrong({ post_logout_redirect_uri: out })).toContain('needs a client_id');
    expect(await wrong({ client_id: other.clientId, post_logout_redirect_uri: out })).toContain(
      'not registered for this add-on',
    );
    const both = { id_token_hint: id_token, client_id: other.clientId, post_logout_redirect_uri: out };
    expect(await wrong(both)).toContain('client_id is not the one');
  });

  test('AZ-03: an add-on that is unknown or suspended', async () => {
    const own = await setScene(http, { postLogoutRedirectUris: [out] });
    await http.commands.suspendAddon(own.clientId);
    for (const client_id of [own.clientId, '01JZZZZZZZZZZZZZZZZZZZZZZA', '../x'])
      expect(await wrong({ client_id, post_logout_redirect_uri: out })).toContain(
        'not that of a registered add-on',
      );
  });

  test('AZ-21: a hint that is no id_token of ours', async () => {
    const { id_token } = await tokensOf(scene);
    for (const id_token_hint of ['x', 'a.b.c', id_token.slice(0, -4), `x${id_token}`])
      expect(
        await wrong({ id_token_hint, client_id: scene.clientId, post_logout_redirect_uri: out }),
      ).toContain('id_token_hint is not');
  });

  test.each(['id_token_hint', 'logout_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'])(
    'G-04: %s sent twice, even with the same value',
    async (name) => {
      const { id_token } = await tokensOf(scene);
      const good: Sent = {
        id_token_hint: id_token,
        logout_hint: 'ada',
        client_id: scene.clientId,
        post_logout_redirect_uri: out,
        state: 's',
        ui_locales: 'en',
      };
      const more = `&${new URLSearchParams({ [name]: good[name] ?? '' }).toString()}`;
      expect(await wrong(good, more)).toContain(`${name} was sent more than once`);
    },
  );

  test('a parameter that is far too long, or not text', async () => {
    const named = { client_id: scene.clientId, post_logout_redirect_uri: out };
    expect(await wrong({ ...named, state: 's'.repeat(5000) })).toContain('state is longer');
    expect(await wrong({ ...named, state: '\u0001'.repeat(1500) })).toContain('state is too long');
    expect(await wrong(named, '&state=%ff')).toContain('state is not UTF-8');
  });

  test('AZ-01: only GET and POST', async () => {
    for (const method of ['PUT', 'HEAD', 'DELETE'] as const) {
      const answer = await http.app.inject({ method, url: '/oauth/logout' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, POST']);
    }
  });
});

describe('nobody is signed out by another', () => {
  const asked = async (browser: TestBrowser) => {
    const page = await browser.get('/oauth/logout');
    return formsOf(page.body)[0]?.fields['interaction'] ?? '';
  };
  const confirm = (browser: TestBrowser, fields: Sent) => browser.post('/oauth/logout/confirm', fields);

  test('AZ-40: the form works only in the browser, and for the session, that was asked', async () => {
    const victim = await signedIn(http, scene);
    const attacker = await signedIn(http, eve);
    const forms = [{}, { interaction: 'x' }, { interaction: await asked(attacker) }];
    for (const fields of forms) expect((await confirm(victim, fields)).statusCode).toBe(400);
    const before = await asked(victim);
    await victim.get('/sign-out').then((page) => victim.press(page, 'Sign out'));
    await victim.signIn(scene.email, password);
    expect((await confirm(victim, { interaction: before })).statusCode).toBe(400);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('AZ-40: forms of other pages are not taken for it, nor it for them', async () => {
    const browser = await signedIn(http, scene);
    const signIn = await testBrowser(http.app).get('/sign-in');
    const other = formsOf(signIn.body)[0]?.fields['interaction'] ?? '';
    expect((await confirm(browser, { interaction: other })).statusCode).toBe(400);
    const own = await asked(browser);
    const credentials = { email: eve.email, password };
    expect((await browser.post('/sign-in', { interaction: own, ...credentials })).statusCode).toBe(400);
    const anonymous = testBrowser(http.app);
    const posted = await anonymous.post('/oauth/logout', {});
    const unasked =
      new URL(posted.headers.location ?? '', http.baseUrl).searchParams.get('interaction') ?? '';
    expect((await confirm(anonymous, { interaction: unasked })).statusCode).toBe(400);
  });

  test.each<[string, (tokens: Answered) => Sent]>([
    ['no hint', () => ({ client_id: scene.clientId, post_logout_redirect_uri: out })],
    ['a hint', ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: out })],
  ])(
    'with %s another site cannot tell from the answer whether somebody else is signed in',
    async (_what, sent) => {
      const request = url(sent(await tokensOf(eve)));
      const [nobody, somebody] = [
        await testBrowser(http.app).get(request),
        await (await signedIn(http, scene)).get(request),
      ];
      const told = ({ statusCode, headers }: LightMyRequestResponse) => {
        const { date: _, 'set-cookie': _cookie, 'content-length': _length, ...rest } = headers;
        return [statusCode, rest];
      };
      expect(told(nobody)).toEqual(told(somebody));
      expect(nobody.body).toContain(`href="${out}"`);
      expect(nobody.body).toContain('You are signed out');
    },
  );
});

describe('FX-11: the state of a sign-out', () => {
  const atProvider = 'https://id.example/sign-out?state=';
  let theirs: PluginApp;
  let own: Scene;
  beforeAll(async () => {
    theirs = await startPlugins((given) => {
      const readSession = async (cookie: string) => {
        const read = await given.commands.readSession(cookie);
        const upstream = { provider: 'keycloak', authTime: null, acr: null, amr: null };
        return read && { ...read, upstream };
      };
      const signOutUrl: typeof given.federation.signOutUrl = (_provider, { state }) =>
        Promise.resolve(atProvider + encodeURIComponent(state));
      const parts = {
        ...given,
        browser: makeBrowser({ ...given, commands: { ...given.commands, readSession } }),
        federation: { ...given.federation, signOutUrl },
      };
      return [federation(parts), logout(parts), session(parts)];
    });
    own = await setScene(theirs, { postLogoutRedirectUris: [out] });
  });
  afterAll(() => theirs.close());

  /** The browser is at the provider, which will send it back. */
  const leave = async () => {
    const browser = await signedIn(theirs, own);
    const page = await browser.get(
      url({ client_id: own.clientId, post_logout_redirect_uri: out, state: 's' }),
    );
    const { location = '' } = (await browser.press(page, 'Sign out')).headers;
    expect(location.startsWith(atProvider)).toBe(true);
    return { browser, back: `/sign-out/callback/keycloak?state=${location.slice(atProvider.length)}` };
  };

  test('leads back to the add-on within ten minutes, in the browser that was signed out', async () => {
    const { browser, back } = await leave();
    expect(leads(await browser.get(back))).toEqual([303, `${out}&state=s`]);
    expect(leads(await testBrowser(theirs.app).get(back))).toEqual([303, '/sign-out']);
    theirs.advance(10 * 60_000);
    expect(leads(await browser.get(back))).toEqual([303, '/sign-out']);
  });

  test('leads to no address that has been removed meanwhile, and to none of a suspended add-on', async () => {
    const { browser, back } = await leave();
    const change = async (remove: boolean) =>
      theirs.commands.updateAddon({
        addonId: own.clientId,
        addPostLogoutRedirectUris: remove ? [] : [out],
        removePostLogoutRedirectUris: remove ? [out] : [],
      });
    await change(true);
    expect(leads(await browser.get(back))).toEqual([303, '/sign-out']);
    await change(false);
    expect(leads(await browser.get(back))).toEqual([303, `${out}&state=s`]);
    await theirs.commands.suspendAddon(own.clientId);
    expect(leads(await browser.get(back))).toEqual([303, '/sign-out']);
    await theirs.commands.resumeAddon(own.clientId);
  });

  test('holds for the page that asks, too: its form and its link lead to no removed address', async () => {
    const browser = await signedIn(http, scene);
    const other = 'https://addon.example/other';
    const mine = await setScene(http, { postLogoutRedirectUris: [other] });
    const sent = { client_id: mine.clientId, post_logout_redirect_uri: other };
    const page = await browser.get(url(sent));
    const stranger = testBrowser(http.app);
    const posted = String((await stranger.post('/oauth/logout', sent)).headers.location);
    expect((await stranger.get(posted)).body).toContain(`href="${other}"`);
    await http.commands.suspendAddon(mine.clientId);
    expect(leads(await browser.press(page, 'Sign out'))).toEqual([303, '/sign-out']);
    expect((await stranger.get(posted)).body).not.toContain(other);
  });
});
