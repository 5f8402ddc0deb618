import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { authorizeUrl, exchange, password, returned, setScene } from '../support/scenes/http-scene.ts';
import { lateAddress } from '../support/servers/listening-app.ts';
import { forgetCookie, testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import {
  clientSecret,
  startUpstreamProvider,
  type UpstreamProvider,
} from '../support/servers/upstream-provider.ts';
import { cookieOf, nameOfCookie } from '../support/scenes/our-cookies.ts';

const upstream = await startUpstreamProvider();
let baseUrl = 'http://127.0.0.1';
const http = await startHttpApp({
  around: (needs) => ({ ...needs, config: lateAddress(needs.config, () => baseUrl) }),
  signIn: {
    providers: [
      {
        id: 'platform',
        name: 'Platform <ID>',
        issuer: upstream.issuer,
        clientId: 'grantbook',
        clientSecret,
        scopes: ['openid', 'profile', 'email', 'platform'],
        claims: {
          name: 'name',
          email: 'email',
          administratorOf: 'organizations',
          roles: 'platform_roles',
        },
      },
    ],
  },
});
baseUrl = await http.app.listen({ port: 0, host: '127.0.0.1' });
upstream.register([baseUrl], 'platform');
const scene = await setScene(http, {
  allowedScopes: ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'],
});
afterAll(async () => {
  await http.close();
  await upstream.close();
});

const user = (subject: string, claims: Readonly<Record<string, unknown>> = {}) => {
  upstream.users.set(subject, { name: 'Grace Hopper', email: `${subject}@platform.example`, ...claims });
  upstream.signInAs(subject);
};

const pathOf = (address: string): string => {
  const url = new URL(address);
  return url.pathname + url.search;
};

type Person = { readonly browser: TestBrowser; readonly visitor: ReturnType<UpstreamProvider['newVisitor']> };
const person = (): Person => ({ browser: testBrowser(http.app), visitor: upstream.newVisitor() });

/** Presses the provider's button, signs in there, and comes back. @returns our answer to the callback */
const signInThere = async ({ browser, visitor }: Person, page = '/sign-in') => {
  const leaving = await browser.press(await browser.get(page), 'Sign in with Platform <ID>');
  expect(leaving.statusCode).toBe(303);
  return browser.get(pathOf(await visitor.visit(leaving.headers.location ?? '')));
};

describe('signing in with a provider', () => {
  test('FE-01, FE-02: the sign-in page offers it by name, and the user comes back signed in', async () => {
    user('grace');
    const one = person();
    const back = await signInThere(one);
    expect([back.statusCode, back.headers.location]).toEqual([303, '/']);
    const account = await one.browser.get('/account');
    expect(account.body).toContain('Grace Hopper');
    expect(account.body).toContain('grace@platform.example');
  });

  test('PG-21: the sign-in page has the way of last time first, and after a failure what is to be corrected', async () => {
    user('grace');
    const one = person();
    const buttons = (body: string) =>
      [...body.matchAll(/type="submit" class="([^"]*)">(?:<img[^>]*>)?\s*([^<]*)/g)].map(([, kind, text]) => [
        text,
        kind,
      ]);
    const before = buttons((await one.browser.get('/sign-in')).body);
    expect(before[0]).toEqual(['Sign in', 'button']);
    expect(before[1]?.[1]).toBe('button plain');
    await signInThere(one);
    forgetCookie(one.browser, 'grantbook_session');
    const form = await one.browser.get('/sign-in');
    expect(buttons(form.body).slice(0, 2)).toEqual([
      ['Sign in with Platform &lt;ID&gt;', 'button'],
      ['Sign in', 'button plain'],
    ]);
    const wrong = await one.browser.press(form, 'Sign in', {
      email: 'grace@platform.example',
      password: 'wrong',
    });
    expect([wrong.statusCode, buttons(wrong.body)[0]?.[0]]).toEqual([401, 'Sign in']);
    one.browser.cookies.set(nameOfCookie(one.browser, 'way'), '"><script>');
    expect(buttons((await one.browser.get('/sign-in')).body)).toEqual(before);
  });

  test('FE-02: what is sent has PKCE, a state and a nonce, and the callback of this provider', async () => {
    const { browser } = person();
    const leaving = await browser.press(await browser.get('/sign-in'), 'Sign in with Platform <ID>');
    const sent = Object.fromEntries(new URL(leaving.headers.location ?? '').searchParams);
    expect(sent).toMatchObject({
      client_id: 'grantbook',
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile email platform',
    });
    expect(sent['redirect_uri']).toMatch(/\/sign-in\/callback\/platform$/);
    for (const name of ['state', 'nonce', 'code_challenge']) expect(sent[name]).toMatch(/^[\w-]{43}$/);
  });

  test('FE-02: a callback that is replayed, of another browser, or unknown is refused with a way back', async () => {
    user('grace');
    const one = person();
    const leaving = await one.browser.press(await one.browser.get('/sign-in'), 'Sign in with Platform <ID>');
    const address = pathOf(await one.visitor.visit(leaving.headers.location ?? ''));
    const stranger = await person().browser.get(address);
    const cookies = new Map(one.browser.cookies);
    const first = await one.browser.get(address);
    const again = await one.browser.get(address);
    // A browser that keeps its cookies of before, as a copy of it would.
    const copy = await testBrowser(http.app, {}, cookies).get(address);
    const unknown = await person().browser.get('/sign-in/callback/platform?code=a&state=b');
    const bare = await person().browser.get('/sign-in/callback/platform');
    const nowhere = await person().browser.get('/sign-in/callback/other?code=a&state=b');
    expect(first.statusCode).toBe(303);
    expect([stranger, again, copy, unknown, bare].map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: 5 }, () => 400),
    );
    expect(nowhere.statusCode).toBe(404);
    for (const { body } of [stranger, again, copy, unknown, bare, nowhere])
      expect(body).toContain('href="/sign-in"');
  });

  test('FE-05: an authorization goes on, and its id_token says when and how the user signed in there', async () => {
    user('ida');
    const one = person();
    const link = authorizeUrl(scene, {
      scope: 'openid profiles:read',
      nonce: 'n1',
      login_hint: 'ida@platform.example',
      max_age: '600',
      ui_locales: 'de en',
      acr_values: 'urn:platform:mfa',
    });
    const leaving = await one.browser.press(await one.browser.get(link), 'Mit Platform <ID> anmelden');
    const sent = Object.fromEntries(new URL(leaving.headers.location ?? '').searchParams);
    expect(sent).toMatchObject({
      login_hint: 'ida@platform.example',
      max_age: '600',
      ui_locales: 'de en',
      acr_values: 'urn:platform:mfa',
    });
    const back = await one.browser.get(pathOf(await one.visitor.visit(leaving.headers.location ?? '')));
    const approval = await one.browser.follow(back);
    const { code = '' } = returned(await one.browser.press(approval, 'Zugriff erlauben'));
    const { id_token: idToken } = (await exchange(http, scene, code)).json<{ id_token: string }>();
    const claims = decodeJwt(idToken);
    expect(claims).toMatchObject({ nonce: 'n1', acr: 'urn:platform:mfa', amr: ['pwd', 'otp'] });
    expect(Math.abs(Number(claims['auth_time']) - Date.now() / 1000)).toBeLessThan(60);
  });

  test('FE-05: prompt=login asks the provider for a new sign-in, although the user is signed in at both', async () => {
    user('lin');
    const one = person();
    await signInThere(one);
    const link = authorizeUrl(scene, { scope: 'openid profiles:read', prompt: 'login' });
    const before = upstream.calls('/auth');
    const leaving = await one.browser.press(await one.browser.get(link), 'Sign in with Platform <ID>');
    expect(new URL(leaving.headers.location ?? '').searchParams.get('prompt')).toBe('login');
    const back = await one.browser.get(pathOf(await one.visitor.visit(leaving.headers.location ?? '')));
    expect((await one.browser.follow(back)).body).toContain('Allow Door Sync?');
    expect(upstream.calls('/auth')).toBe(before + 1);
  });

  test('FE-07: a user who is disabled here stays so, and the page says whom to ask', async () => {
    user('disabled');
    const one = person();
    await signInThere(one);
    const session = await http.commands.readSession(cookieOf(one.browser, 'session') ?? '');
    const disabled = await http.commands.disableUser(session?.userId ?? '');
    expect(disabled.ok).toBe(true);
    const back = await signInThere({ ...person(), visitor: one.visitor });
    expect(back.statusCode).toBe(403);
    expect(back.body).toContain('Ask the operator of this service');
  });

  test('AZ-41: a sign-in with a provider ends the former session of the browser', async () => {
    user('grace');
    const one = person();
    await one.browser.signIn(scene.email, password);
    const former = cookieOf(one.browser, 'session') ?? '';
    // The sign-in page of somebody who is signed in leads on; an add-on's request asks again.
    const link = authorizeUrl(scene, { prompt: 'login' });
    await signInThere(one, link);
    expect(await http.commands.readSession(former)).toBeNull();
  });
});

describe('signing out', () => {
  test('FE-06: ours ends the session, goes to the provider’s sign-out, and comes back', async () => {
    user('grace');
    const one = person();
    await signInThere(one);
    const page = await one.browser.get('/sign-out');
    expect(page.headers['content-security-policy']).not.toContain('form-action');
    const leaving = await one.browser.press(page, 'Sign out');
    const address = new URL(leaving.headers.location ?? '');
    expect(address.origin).toBe(upstream.issuer);
    expect(address.searchParams.get('id_token_hint')).toBeTruthy();
    expect((await one.browser.get('/account')).statusCode).toBe(303);
    const back = pathOf(await one.visitor.visit(address.href));
    expect(back).toMatch(/^\/sign-out\/callback\/platform\?state=/);
    expect((await one.browser.follow(await one.browser.get(back))).body).toContain('You are signed out');
    // The provider asks for a password again: there is no session there either.
    const again = await one.browser.press(await one.browser.get('/sign-in'), 'Sign in with Platform <ID>');
    const before = upstream.calls('/session/end');
    upstream.signInAs('another');
    upstream.users.set('another', { name: 'Another' });
    await one.browser.get(pathOf(await one.visitor.visit(again.headers.location ?? '')));
    expect((await one.browser.get('/account')).body).toContain('Another');
    expect(upstream.calls('/session/end')).toBe(before);
  });

  test('FE-06: who signs out at the provider is signed out here, in every session of there and in no other', async () => {
    user('both');
    const one = person();
    await signInThere(one);
    const elsewhere = person();
    await signInThere(elsewhere);
    const local = testBrowser(http.app);
    await local.signIn(scene.email, password);
    await one.visitor.visit(`${upstream.issuer}/session/end?client_id=grantbook`);
    const isIn = async ({ browser }: Pick<Person, 'browser'>) => (await browser.get('/account')).statusCode;
    await expect.poll(() => isIn(one)).toBe(303);
    expect([await isIn(elsewhere), await isIn({ browser: local })]).toEqual([200, 200]);
  });
});
