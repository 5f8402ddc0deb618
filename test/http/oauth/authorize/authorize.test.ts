import { afterAll, describe, expect, test } from 'vitest';
import { activationStream } from '../../../../src/domain/streams.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { valueOf } from '../../../support/outcomes.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  allowedScopes,
  authorizeUrl,
  createUser,
  deactivate,
  obtainCode,
  password,
  returned,
  setScene,
  signedIn,
} from '../../../support/scenes/http-scene.ts';
import { forgetCookie, formsOf, testBrowser } from '../../../support/scenes/pages.ts';
import { cookieOf } from '../../../support/scenes/our-cookies.ts';

const http = await startPlugins([authorize, session]);
const scene = await setScene(http);
afterAll(() => http.close());

/** A user of nobody: the only subject there is to choose. */
const newcomer = async () => {
  const email = `nobody${Math.random()}@harbour.example`;
  await createUser(http, email);
  return signedIn(http, { email });
};

describe('pages', () => {
  test('AZ-08: an error before the redirect URI is trusted is a page that no one may frame or keep', async () => {
    const answer = await testBrowser(http.app).get(
      authorizeUrl(scene, { redirect_uri: 'https://evil.example/"><b>' }),
    );
    expect(answer.statusCode).toBe(400);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(answer.headers.location).toBeUndefined();
    expect(answer.body).not.toContain('evil.example');
    expect(answer.body).toContain('redirect_uri is not registered');
  });

  test('AZ-08: what others chose is escaped', async () => {
    const other = await setScene(http, { name: 'Doors <b>"&\' Co' });
    const page = await testBrowser(http.app).get(authorizeUrl(other));
    expect(page.body).toContain('Doors &lt;b&gt;&quot;&amp;&#39; Co');
    expect(page.body).not.toContain('<b>');
  });

  test('AZ-01: methods that are not offered answer 405 with Allow', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const) {
      const answer = await http.app.inject({ method, url: authorizeUrl(scene) });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'GET, POST']);
    }
  });
});

describe('the way back', () => {
  test('AZ-50, AZ-51: 303, the own query first and untouched, then code, state and iss', async () => {
    const browser = await newcomer();
    const answer = await browser.press(await browser.get(authorizeUrl(scene, { state: 'a b+c' })), 'Allow');
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toMatch(
      /^https:\/\/addon\.example\/cb\?x=1&code=mkt_code_[\w-]+&state=a%20b%2Bc&iss=http%3A%2F%2F127\.0\.0\.1%3A8080$/,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('AZ-01: a POST from another site has no session cookie and continues by GET, where it is sent', async () => {
    const browser = await newcomer();
    const cookies = [...browser.cookies];
    forgetCookie(browser, 'grantbook_session');
    const fields = Object.fromEntries(new URL(authorizeUrl(scene), http.baseUrl).searchParams);
    const sent = await browser.post('/oauth/authorize', fields);
    expect(sent.headers.location).toMatch(/^\/oauth\/authorize\/continue\?/);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.follow(sent)).body).toContain('Allow Door Sync?');
  });

  test('G-04: a parameter both in the query and in the form is repeated', async () => {
    const answer = await testBrowser(http.app).post(authorizeUrl(scene), { state: 'again' });
    expect(returned(answer)).toMatchObject({ error: 'invalid_request' });
    expect(returned(answer)).not.toHaveProperty('state');
  });
});

describe('prompt', () => {
  test('AZ-30, AZ-33: none without a session is login_required, never a page', async () => {
    const answer = await testBrowser(http.app).get(authorizeUrl(scene, { prompt: 'none' }));
    expect(returned(answer)).toMatchObject({ error: 'login_required', state: 'st+&=%#' });
    expect(answer.body).toBe('');
  });

  test('AZ-32: none before consent is consent_required, and a code after it', async () => {
    const browser = await newcomer();
    const silent = authorizeUrl(scene, { prompt: 'none' });
    expect(returned(await browser.get(silent))['error']).toBe('consent_required');
    await obtainCode(http, scene, { browser });
    expect(returned(await browser.get(silent))['code']).toMatch(/^mkt_code_/);
  });

  test('AZ-37: without prompt, approval is skipped when all was approved, and one more scope is asked for as new', async () => {
    const browser = await newcomer();
    await obtainCode(http, scene, { browser, change: { scope: 'profiles:read' } });
    expect(returned(await browser.get(authorizeUrl(scene, { scope: 'profiles:read' })))).toHaveProperty(
      'code',
    );
    const more = await browser.get(authorizeUrl(scene, { scope: 'profiles:read access-rights:read' }));
    const listed = [...more.body.matchAll(/<li>(<svg.*?)<\/li>/gs)].map(([, item = '']) => item);
    expect(listed).toHaveLength(2);
    expect(listed.map((item) => item.includes('New'))).toEqual([false, true]);
  });

  test('FX-22: a remembered consent is used without a page only while the subjects to choose from are the same', async () => {
    const own = await setScene(http);
    const browser = await signedIn(http, own);
    const next = async () => {
      const page = await browser.get(authorizeUrl(own));
      if (page.statusCode === 303) return 'code' in returned(page) ? 'code' : returned(page)['error'];
      return /type="radio"/.test(page.body) ? 'choice' : 'approval';
    };
    const silent = async () => returned(await browser.get(authorizeUrl(own, { prompt: 'none' })))['error'];
    expect(await next()).toBe('approval');
    await obtainCode(http, own, { browser });
    expect(await next()).toBe('code');

    await activate(http, own);
    expect([await next(), await silent()]).toEqual(['choice', 'interaction_required']);
    await obtainCode(http, own, { browser, subject: 'user' });
    expect([await next(), await silent()]).toEqual(['code', undefined]);

    const more = await http.commands.createOrganization({ name: 'Harbour Annex' });
    const { organizationId } = valueOf(more);
    await http.commands.addAdministrator({ organizationId, userId: own.userId });
    await activate(http, { ...own, organizationId });
    expect([await next(), await silent()]).toEqual(['choice', 'interaction_required']);
    // What the page showed counts, not what has come since.
    const page = await browser.get(authorizeUrl(own));
    await deactivate(http, { ...own, organizationId });
    await browser.press(page, 'Allow', { subject: 'user' });
    expect(await next()).toBe('choice');
  });

  test('FX-22: a consent from before the choice was recorded is asked for once more where there is a choice', async () => {
    const own = await setScene(http);
    const browser = await signedIn(http, own);
    const { userId, clientId: addonId } = own;
    const { subject } = await http.commands.ownConsent({ userId, addonId });
    await http.commands.approveScopes({ userId, addonId, subject, scopes: allowedScopes });
    expect(returned(await browser.get(authorizeUrl(own)))).toHaveProperty('code');
    await activate(http, own);
    expect((await browser.get(authorizeUrl(own))).body).toContain('Allow Door Sync?');
    await obtainCode(http, own, { browser, subject: 'user' });
    expect(returned(await browser.get(authorizeUrl(own)))).toHaveProperty('code');
  });

  test('AZ-34: login asks again in spite of a live session; the old session does not get past it', async () => {
    const browser = await newcomer();
    await obtainCode(http, scene, { browser });
    const page = await browser.get(authorizeUrl(scene, { prompt: 'login' }));
    expect(page.body).toContain('name="password"');
    const [form] = formsOf(page.body);
    const resume = `/oauth/authorize/continue?interaction=${form?.fields['interaction']}`;
    expect((await browser.get(resume)).body).toContain('name="password"');
  });

  test('AZ-20: max_age asks again once the sign-in is older', async () => {
    const browser = await newcomer();
    await obtainCode(http, scene, { browser });
    expect(returned(await browser.get(authorizeUrl(scene, { max_age: '600' })))).toHaveProperty('code');
    expect((await browser.get(authorizeUrl(scene, { max_age: '0' }))).body).toContain('name="password"');
    expect(returned(await browser.get(authorizeUrl(scene, { max_age: '0', prompt: 'none' })))['error']).toBe(
      'login_required',
    );
  });

  test('AZ-38: a native app on a port of its choice is asked for every time', async () => {
    const native = await setScene(http, { redirectUris: ['http://127.0.0.1/cb'] });
    const browser = await newcomer();
    const url = authorizeUrl(native, { redirect_uri: 'http://127.0.0.1:51234/cb' });
    const first = await browser.press(await browser.get(url), 'Allow');
    expect(first.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:51234\/cb\?code=/);
    expect((await browser.get(url)).body).toContain('Allow Door Sync?');
    const silent = await browser.get(
      authorizeUrl(native, { redirect_uri: 'http://127.0.0.1:51234/cb', prompt: 'none' }),
    );
    expect(silent.headers.location).toContain('error=consent_required');
  });

  test('AZ-37: a loopback address registered with its port is asked for once, as the spec has it', async () => {
    const redirectUri = 'http://127.0.0.1:3000/cb';
    const local = await setScene(http, { redirectUris: [redirectUri] });
    const browser = await newcomer();
    const url = authorizeUrl(local, { redirect_uri: redirectUri });
    await browser.press(await browser.get(url), 'Allow');
    expect((await browser.get(url)).headers.location).toMatch(/^http:\/\/127\.0\.0\.1:3000\/cb\?code=/);
  });

  test('a request for no scope that exists is asked for, too', async () => {
    const browser = await newcomer();
    await obtainCode(http, scene, { browser, change: { scope: 'unheard:of' } });
    expect((await browser.get(authorizeUrl(scene, { scope: 'unheard:of' }))).body).toContain(
      'Allow Door Sync?',
    );
  });
});

describe('for whom', () => {
  test('AZ-23: deactivated while the approval page was open, the answer is access_denied', async () => {
    const other = await setScene(http);
    await activate(http, other);
    const browser = await signedIn(http, other);
    const page = await browser.get(authorizeUrl(other));
    await deactivate(http, other);
    const answer = await browser.press(page, 'Allow', { subject: `organization:${other.organizationId}` });
    expect(returned(answer)['error']).toBe('access_denied');
  });

  test('a subject that the user does not speak for is access_denied', async () => {
    const other = await setScene(http);
    await activate(http, other);
    const browser = await newcomer();
    const page = await browser.get(authorizeUrl(other));
    const answer = await browser.press(page, 'Allow', { subject: `organization:${other.organizationId}` });
    expect(returned(answer)['error']).toBe('access_denied');
  });
});

describe('AZ-23: an approval for an organization that has deactivated the add-on', () => {
  const refusedAfterwards = async (email?: string) => {
    const other = await setScene(http);
    await activate(http, other);
    if (email !== undefined) await createUser(http, email);
    const browser = await signedIn(http, { email: email ?? other.email });
    await browser.get(authorizeUrl(other));
    await deactivate(http, other);
    const ask = async () => {
      const page = await browser.get(authorizeUrl(other));
      const { organizationId } = other;
      return returned(await browser.press(page, 'Allow', { subject: `organization:${organizationId}` }));
    };
    const stream = activationStream(other.organizationId, other.clientId);
    const events = async () =>
      (await http.store.read(stream)).events.flatMap(({ event }) =>
        event.type === 'AuthorizationRefused' ? [event.data] : [],
      );
    return { ask, events, userId: other.userId };
  };

  test('is access_denied, and leaves one event an hour', async () => {
    const { ask, events, userId } = await refusedAfterwards();
    expect(await ask()).toMatchObject({ error: 'access_denied' });
    expect(await events()).toEqual([{ userId, reason: 'addon-not-active', at: expect.any(Number) }]);
    expect(await ask()).toMatchObject({ error: 'access_denied' });
    expect(await events()).toHaveLength(1);
    http.advance(3_600_000);
    expect(await ask()).toMatchObject({ error: 'access_denied' });
    expect(await events()).toHaveLength(2);
  });

  test('of somebody who is no administrator there leaves nothing in its stream', async () => {
    const { ask, events } = await refusedAfterwards('stranger@example.com');
    expect(await ask()).toMatchObject({ error: 'access_denied' });
    expect(await events()).toEqual([]);
  });
});

describe('AZ-40: forms are bound to the browser, to the user and to one use', () => {
  test.each(['', 'x.y', 'eyJpZCI6IjEifQ.AAAA'])(
    'a form with the interaction "%s" is refused',
    async (interaction) => {
      const browser = await newcomer();
      for (const url of ['/sign-in', '/oauth/authorize/decision']) {
        const answer = await browser.post(url, {
          interaction,
          decision: 'approve',
          subject: 'user',
          email: 'a',
          password: 'b',
        });
        expect([url, answer.statusCode, answer.headers.location]).toEqual([url, 400, undefined]);
      }
    },
  );

  test('a sign-in form opened in another browser is refused', async () => {
    const [form] = formsOf((await testBrowser(http.app).get(authorizeUrl(scene))).body);
    const answer = await testBrowser(http.app).post('/sign-in', {
      ...form?.fields,
      email: scene.email,
      password,
    });
    expect(answer.statusCode).toBe(400);
    const names = answer.cookies.map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith('grantbook_pending'))).toEqual([]);
  });

  test('an approval opened in another browser is refused, although the user is the same', async () => {
    const page = await (await signedIn(http, scene)).get(authorizeUrl(scene));
    const answer = await (await signedIn(http, scene)).press(page, 'Allow', { subject: 'user' });
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  });

  test('an approval works once: of two pages that race, and also when the cookie is put back', async () => {
    const email = `nobody${Math.random()}@harbour.example`;
    await createUser(http, email);
    const browser = testBrowser(http.app);
    const signIn = await browser.press(await browser.get(authorizeUrl(scene)), 'Sign in', {
      email,
      password,
    });
    const next = String(signIn.headers.location);
    const pages = [await browser.get(next), await browser.get(next)] as const;
    const cookies = [...browser.cookies];
    const answers = await Promise.all(pages.map((page) => browser.press(page, 'Allow')));
    expect(answers.map(({ statusCode }) => String(statusCode)).sort()).toEqual(['303', '400']);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const loser = pages[answers[0]?.statusCode === 400 ? 0 : 1];
    expect((await browser.press(loser, 'Allow')).statusCode).toBe(400);
  });

  test('the signed request of the sign-in page does not pass for an approval', async () => {
    const browser = await newcomer();
    const page = await browser.get(authorizeUrl(scene, { prompt: 'login' }));
    const [form] = formsOf(page.body);
    const answer = await browser.post('/oauth/authorize/decision', {
      ...form?.fields,
      decision: 'approve',
      subject: 'user',
    });
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  });
});

describe('sessions', () => {
  test('AZ-41: a sign-in makes a new session and ends the one before; cookies are for this site and no script', async () => {
    const browser = await signedIn(http, scene);
    const before = cookieOf(browser, 'session') ?? '';
    const page = await browser.get(authorizeUrl(scene, { prompt: 'login' }));
    const answer = await browser.press(page, 'Sign in', { email: scene.email, password });
    const cookie = answer.cookies.find(({ name }) => name.startsWith('grantbook_session_'));
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(cookie?.value).not.toBe(before);
    expect(await http.commands.readSession(before)).toBeNull();
  });

  test('AZ-41: behind https, cookies are Secure and belong to this host alone', async () => {
    const secure = await startPlugins([authorize, session], {
      config: { baseUrl: 'https://market.example', issuer: 'https://market.example', secureCookies: true },
    });
    const theirs = await setScene(secure);
    const browser = testBrowser(secure.app);
    const page = await browser.get('/sign-in');
    const answer = await browser.press(page, 'Sign in', { email: theirs.email, password });
    for (const cookie of [...page.cookies, ...answer.cookies])
      expect(cookie).toMatchObject({ name: expect.stringMatching(/^__Host-/), secure: true, path: '/' });
    await secure.close();
  });

  test('a wrong password says so without saying which half was wrong, and keeps the address', async () => {
    const browser = testBrowser(http.app);
    const page = await browser.get(authorizeUrl(scene));
    const answers = [
      await browser.press(page, 'Sign in', { email: scene.email, password: 'wrong' }),
      await browser.press(page, 'Sign in', { email: 'nobody@harbour.example', password }),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(401);
      expect(answer.body).toContain('Wrong e-mail address or password.');
    }
    expect(answers[0]?.body).toContain(`value="${scene.email}"`);
    const third = await browser.press(answers[0] ?? page, 'Sign in', { email: scene.email, password });
    expect((await browser.follow(third)).body).toContain('Allow Door Sync?');
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/%09/evil',
  ])('after a sign-in nobody is sent to %s', async (returnTo) => {
    const browser = testBrowser(http.app);
    const page = await browser.get(`/sign-in?return_to=${encodeURIComponent(returnTo)}`);
    const answer = await browser.press(page, 'Sign in', { email: scene.email, password });
    const target = new URL(String(answer.headers.location), http.baseUrl);
    expect(target.origin).toBe(http.baseUrl);
  });

  test('signing out asks first, needs the form of this session, and ends it', async () => {
    const browser = await signedIn(http, scene);
    const cookie = cookieOf(browser, 'session') ?? '';
    expect((await browser.post('/sign-out', {})).statusCode).toBe(403);
    expect((await browser.post('/sign-out', { csrf: 'AAAA' })).statusCode).toBe(403);
    expect(await http.commands.readSession(cookie)).not.toBeNull();
    expect((await browser.press(await browser.get('/sign-out'), 'Sign out')).statusCode).toBe(303);
    expect(await http.commands.readSession(cookie)).toBeNull();
    expect(cookieOf(browser, 'session')).toBeUndefined();
  });
});
