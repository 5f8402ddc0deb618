import { afterAll, describe, expect, test } from 'vitest';
import { s256 } from '../../../src/commands/credentials/secrets.ts';
import type { Role } from '../../../src/domain/people/account.ts';
import { account } from '../../../src/http/account/plugin.ts';
import { commandLine } from '../../../src/http/command-line/plugin.ts';
import { valueOf } from '../../support/outcomes.ts';
import { createUser, password, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';

const http = await startPlugins([commandLine, account]);
afterAll(() => http.close());

let counter = 0;
const userWith = async (...roles: readonly Role[]) => {
  counter += 1;
  const email = `olive${counter}@example.com`;
  const userId = await createUser(http, email, [], { name: 'Olive', roles });
  const browser = await signedIn(http, { email });
  return { userId, browser };
};
const olive = await userWith('operator');

const verifier = 'a-code-verifier-of-at-least-forty-three-characters';
const redirectUri = 'http://127.0.0.1:41234/';
const state = 'a-state-of-this-run';
const asked = {
  response_type: 'code',
  client_id: 'grantbook-cli',
  redirect_uri: redirectUri,
  state,
  code_challenge: s256(verifier),
  code_challenge_method: 'S256',
};
type Change = Readonly<Record<string, string>>;
const addressOf = (change: Change = {}) =>
  `/account/command-line?${new URLSearchParams({ ...asked, ...change }).toString()}`;

/** What the browser is sent back with. */
const decide = async (button: string, change: Change = {}, { browser } = olive): Promise<URL> => {
  const answer = await browser.press(await browser.get(addressOf(change)), button);
  expect(answer.statusCode).toBe(303);
  return new URL(String(answer.headers.location));
};
const codeFor = async (change: Change = {}, who = olive): Promise<string> =>
  (await decide('Allow', change, who)).searchParams.get('code') ?? '';

const exchange = async (code: string, change: Change = {}) => {
  const form = {
    grant_type: 'authorization_code',
    client_id: 'grantbook-cli',
    code,
    redirect_uri: redirectUri,
  };
  const payload = { ...form, code_verifier: verifier, ...change };
  const answer = await http.app.inject({ method: 'POST', url: '/operator/api/token', payload });
  return { status: answer.statusCode, json: answer.json<Record<string, unknown>>() };
};
const whose = async (token: unknown, method: 'GET' | 'DELETE' = 'GET') => {
  const headers = { authorization: `Bearer ${String(token)}` };
  const answer = await http.app.inject({ method, url: '/operator/api/token', headers });
  return { status: answer.statusCode, json: answer.json<Record<string, unknown>>() };
};
const invalid = { status: 409, json: { code: 'code-invalid' } };

describe('AP-08: a sign-in on the command line, by the authorization code flow with a loopback redirect', () => {
  test('who allows it on the page gets a token for a day, which the account lists, and which ends on request', async () => {
    const back = await decide('Allow');
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(back.searchParams.get('state')).toBe(state);
    expect(back.searchParams.get('iss')).toBe(http.baseUrl);
    const { status, json } = await exchange(back.searchParams.get('code') ?? '');
    expect([status, json['token_type'], json['expires_in']]).toEqual([200, 'Bearer', 86_400]);
    expect((await whose(json['access_token'])).json).toMatchObject({
      user_id: olive.userId,
      name: 'Olive',
      roles: ['operator'],
      version: '0.0.0-test',
    });
    expect((await olive.browser.get('/account')).body).toContain('Command line, 20');
    expect((await whose(json['access_token'], 'DELETE')).status).toBe(200);
    const ended = await whose(json['access_token']);
    expect([ended.status, ended.json['type']]).toEqual([
      401,
      `${http.baseUrl}/problems/administrator-token-revoked`,
    ]);
  });

  test('a user who cancels sends the browser back without a code', async () => {
    const { searchParams } = await decide('Cancel');
    expect(Object.fromEntries(searchParams)).toEqual({ error: 'access_denied', state, iss: http.baseUrl });
  });

  test('nobody is signed in: the sign-in page comes first, and leads back to the same request', async () => {
    const answer = await testBrowser(http.app).get(addressOf());
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(`/sign-in?return_to=${encodeURIComponent(addressOf())}`);
  });

  test('an account without a role of the command line cannot allow it, not even by a form of its own', async () => {
    const nobody = await userWith();
    const page = await nobody.browser.get(addressOf());
    expect(page.statusCode).toBe(403);
    expect(page.body).not.toContain('>Allow<');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const forced = await nobody.browser.post(addressOf(), { csrf, decision: 'allow' });
    expect(forced.headers.location).toContain('error=access_denied');
  });

  test('a code that was allowed before the role was removed gives no token', async () => {
    const brief = await userWith('operator', 'auditor');
    const code = await codeFor({}, brief);
    for (const role of ['operator', 'auditor'] as const)
      valueOf(await http.commands.removeRole({ userId: brief.userId, role, force: true }));
    expect(await exchange(code)).toMatchObject({ status: 409, json: { code: 'not-an-operator' } });
  });

  test('a token opens nothing once the role is removed', async () => {
    const brief = await userWith('auditor');
    const { json } = await exchange(await codeFor({}, brief));
    valueOf(await http.commands.removeRole({ userId: brief.userId, role: 'auditor', force: true }));
    expect((await whose(json['access_token'])).json).toMatchObject({ roles: [] });
  });
});

describe('attacks on it', () => {
  test.each([
    ['another host', 'http://localhost.evil:41234/'],
    ['a name of this machine', 'http://localhost:41234/'],
    ['another address of this machine', 'http://127.0.0.2:41234/'],
    ['https', 'https://127.0.0.1:41234/'],
    ['no port', 'http://127.0.0.1/'],
    ['a port that is none', 'http://127.0.0.1:65536/'],
    ['a path', 'http://127.0.0.1:41234/elsewhere'],
    ['a user that looks like the host', 'http://127.0.0.1:41234@evil.example/'],
    ['a query', 'http://127.0.0.1:41234/?x=1'],
    ['an add-on’s address', 'https://addon.example/callback'],
  ])('a code is never sent to %s', async (_what, redirect_uri) => {
    const page = await olive.browser.get(addressOf({ redirect_uri }));
    expect([page.statusCode, page.headers.location]).toEqual([400, undefined]);
    expect(page.body).toContain('redirect_uri is missing, repeated or not allowed');
    expect(page.body).not.toContain('>Allow<');
  });

  test.each([
    ['client_id', '01JD2C4Q6S8V0X2Z4B6D8F0H2K'],
    ['response_type', 'token'],
    ['state', ''],
    ['code_challenge', 'short'],
    ['code_challenge_method', 'plain'],
  ])('a request with another %s is refused', async (name, value) => {
    const page = await olive.browser.get(addressOf({ [name]: value }));
    expect([page.statusCode, page.headers.location]).toEqual([400, undefined]);
    expect(page.body).toContain(name);
  });

  test('a page of another site that posts the form allows nothing: it lacks the secret of the session', async () => {
    for (const csrf of ['', 'x'.repeat(43)]) {
      const forged = await olive.browser.post(addressOf(), { csrf, decision: 'allow' });
      expect([forged.statusCode, forged.headers.location]).toEqual([403, undefined]);
    }
    const page = await (await userWith('operator')).browser.get(addressOf());
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    expect((await olive.browser.post(addressOf(), { csrf, decision: 'allow' })).statusCode).toBe(403);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  test('a stolen code is worth nothing without its verifier, and with another redirect address', async () => {
    const code = await codeFor();
    const another = 'another-verifier-of-at-least-forty-three-characters';
    expect(await exchange(code, { code_verifier: another })).toMatchObject(invalid);
    expect(await exchange(code, { code_verifier: '' })).toMatchObject(invalid);
    expect(await exchange(code, { redirect_uri: 'http://127.0.0.1:41235/' })).toMatchObject(invalid);
    expect((await exchange(code)).status).toBe(200);
  });

  test('a code that is used again gives nothing, and ends the token that it gave', async () => {
    const code = await codeFor();
    const { json } = await exchange(code);
    expect((await whose(json['access_token'])).status).toBe(200);
    expect(await exchange(code)).toMatchObject({ status: 409, json: { code: 'code-used' } });
    expect((await whose(json['access_token'])).status).toBe(401);
  });

  test('of exchanges of one code at the same time at most one gives a token that works', async () => {
    const code = await codeFor();
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    const given = all.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(8 - given.length);
  });

  test('a code ends after a minute, and with another password', async () => {
    const [code, other] = [await codeFor(), await codeFor()];
    valueOf(await http.commands.setPassword({ userId: olive.userId, password }));
    expect(await exchange(other)).toMatchObject(invalid);
    const late = await userWith('operator');
    const expired = await codeFor({}, late);
    http.advance(60_000);
    expect(await exchange(expired)).toMatchObject(invalid);
    expect(await exchange(code)).toMatchObject(invalid);
  });

  test('what is no code of the command line is refused, and an add-on has no use for its client', async () => {
    expect(await exchange('mkt_code_AQABjZ0')).toMatchObject(invalid);
    expect(await exchange('mkt_cli_AQABjZ0')).toMatchObject(invalid);
    expect((await exchange('x', { client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K' })).status).toBe(400);
    expect((await exchange('x', { grant_type: 'refresh_token' })).status).toBe(400);
    expect(await http.commands.findAddon('grantbook-cli')).toBeNull();
  });
});
