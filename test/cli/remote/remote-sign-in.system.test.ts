import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeBrowser, type Page } from '../../../demo/browser.ts';
import { send } from '../../../src/cli/remote/send.ts';
import { readServer } from '../../../src/cli/remote/server.ts';
import { packageVersion } from '../../../src/process/package-root.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { listening, serve } from '../../support/servers/serve.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWithCommandLines } from '../../support/scenes/command-lines.ts';
import { password } from '../live-service.ts';
import type { Ran } from '../run-grantbook.ts';
import { runOverApi } from './run-remote.ts';

const config = temporaryFolder();
const service = await startWithCommandLines();
const operator = await service.user('Olga', '--operator');
const auditor = await service.user('Aude', '--auditor');
await service.user('Nobody');

const env = { XDG_CONFIG_HOME: config, BROWSER: '/nowhere/a-browser' };
const run = (args: readonly string[], more: Parameters<typeof runOverApi>[2] = {}) =>
  runOverApi(service.baseUrl, args, { env, ...more });
const refusal = ({ exitCode, json }: Ran) => [
  exitCode,
  (json['error'] as { readonly code?: string } | undefined)?.code,
];
const messageOf = ({ json }: Ran) => (json['error'] as { readonly message: string }).message;

/** `grantbook login`, with a person and a browser: `act` gets the printed address. */
const logIn = async (
  act: (address: URL) => Promise<unknown>,
  options: Parameters<typeof runOverApi>[2] = {},
  server = service.baseUrl,
): Promise<Ran> => {
  const acted: Promise<unknown>[] = [];
  let printed = '';
  const ran = await runOverApi(server, ['login', '--json'], {
    env,
    ...options,
    onError: (text) => {
      printed += text;
      const [address] = /http\S+\/account\/command-line\S+/.exec(printed) ?? [];
      if (address !== undefined && acted.length === 0) acted.push(act(new URL(address)));
    },
  });
  await Promise.all(acted);
  return ran;
};

/** Signs in on the page at an address. */
const pageFor = async (name: string, address: URL) => {
  const browser = makeBrowser();
  const signIn = await browser.open(address.href);
  const page = await browser.press(signIn, 'Sign in', {
    'E-mail address': `${name}@example.com`,
    Password: password,
  });
  return { browser, page };
};
const decide = async (name: string, button: string, address: URL): Promise<Page> => {
  const { browser, page } = await pageFor(name, address);
  return browser.press(page, button);
};

const kept = () => {
  const folder = join(config, 'grantbook');
  return readdirSync(folder).map((file) => join(folder, file));
};

describe('AP-08: grantbook login --server', () => {
  test('the browser allows it; the token is kept for this service alone, readable by its owner, and ends with logout', async () => {
    let seen: Page | undefined;
    const ran = await logIn(async (address) => {
      seen = await decide('Olga', 'Allow', address);
    });
    expect(ran.json).toMatchObject({ user_id: operator, name: 'Olga', roles: ['operator'] });
    expect(seen?.html).toContain('You are signed in on the command line.');
    const [file = ''] = kept();
    expect(ran.json['file']).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(ran.stdout + ran.stderr).not.toContain(token);
    expect((await run(['whoami', '--json'])).json).toEqual({
      user_id: operator,
      name: 'Olga',
      roles: ['operator'],
    });
    expect((await run(['organization', 'create', '--name', 'Quay', '--json'])).exitCode).toBeLessThan(2);
    const other = `http://localhost:${new URL(service.baseUrl).port}`;
    expect(refusal(await runOverApi(other, ['whoami', '--json'], { env }))).toEqual([1, 'not-signed-in']);
    expect((await run(['logout', '--json'])).json).toMatchObject({ user_id: operator });
    expect(kept()).toEqual([]);
    expect(refusal(await run(['whoami', '--json'], { env: { GRANTBOOK_TOKEN: token } }))).toEqual([
      1,
      'token-revoked',
    ]);
    expect(refusal(await run(['logout', '--json']))).toEqual([1, 'not-signed-in']);
  });

  test('FX-90: what a sign-in made ends with logout, and outlives it in no case', async () => {
    const other = await service.user('Mia', '--operator');
    const ran = await logIn((address) => decide('Olga', 'Allow', address));
    const create = ['user', 'token', 'create', '--user', other, '--days', '365', '--json'];
    const child = (await run([...create, '--name', 'child'])).json;
    expect(child).toMatchObject({ made_by: operator, expires_at: ran.json['expires_at'] });
    const asChild = { env: { GRANTBOOK_TOKEN: String(child['token']) } };
    const grandchild = (await run([...create, '--name', 'grandchild'], asChild)).json;
    expect(grandchild).toMatchObject({ made_by: other, made_with: child['token_id'] });
    expect((await run(['whoami'], asChild)).exitCode).toBe(0);
    await run(['logout']);
    for (const { token } of [child, grandchild])
      expect(refusal(await run(['whoami', '--json'], { env: { GRANTBOOK_TOKEN: String(token) } }))).toEqual([
        1,
        'token-revoked',
      ]);
  });

  test('a second sign-in ends the token of the first', async () => {
    await logIn((address) => decide('Aude', 'Allow', address));
    const [file = ''] = kept();
    const first = readFileSync(file, 'utf8').trim();
    await logIn((address) => decide('Aude', 'Allow', address));
    expect(refusal(await run(['whoami', '--json'], { env: { GRANTBOOK_TOKEN: first } }))).toEqual([
      1,
      'token-revoked',
    ]);
    expect((await run(['whoami', '--json'])).json).toMatchObject({ user_id: auditor, roles: ['auditor'] });
    const tasks = await run(['addon', 'list', '--json']);
    expect(refusal(tasks)).toEqual([1, 'not-an-operator']);
    expect(messageOf(tasks)).toContain('belongs to an auditor');
    chmodSync(file, 0o644);
    expect(refusal(await run(['whoami', '--json']))).toEqual([1, 'token-readable']);
    chmodSync(file, 0o600);
    await run(['logout']);
  });

  test('AP-10: a member of a publisher signs in, and sees its add-ons, until the membership ends', async () => {
    const publisher = String(
      (await service.runJson(['publisher', 'create', '--name', 'Doors']))['publisher_id'],
    );
    const member = await service.user('Mem');
    await service.runJson(['user', 'grant-role', member, '--role', 'publisher', '--publisher', publisher]);
    const ran = await logIn((address) => decide('Mem', 'Allow', address));
    expect(ran.json).toMatchObject({ user_id: member, roles: ['publisher'] });
    expect((await run(['publisher', 'addon', 'list', '--json'])).json).toMatchObject({ items: [] });
    expect(refusal(await run(['addon', 'list', '--json']))).toEqual([1, 'not-an-operator']);
    await service.runJson(['user', 'remove-role', member, '--role', 'publisher', '--publisher', publisher]);
    expect((await run(['whoami', '--json'])).json).toMatchObject({ roles: [] });
    expect(refusal(await run(['publisher', 'addon', 'list', '--json']))).toEqual([1, 'not-a-publisher']);
    await run(['logout']);
    const after = await logIn((address) => decide('Mem', 'Cancel', address));
    expect(refusal(after)).toEqual([1, 'access-denied']);
  });

  test('who cancels, or has no role, is not signed in', async () => {
    const cancelled = await logIn((address) => decide('Olga', 'Cancel', address));
    expect(refusal(cancelled)).toEqual([1, 'access-denied']);
    const nobody = await logIn(async (address) => {
      const { browser, page } = await pageFor('Nobody', address);
      expect(page.html).toContain('Your account has none of these roles.');
      return browser.press(page, 'Cancel');
    });
    expect(refusal(nobody)).toEqual([1, 'access-denied']);
    expect(kept()).toEqual([]);
  });

  test('what comes to the port with another state, path or host is refused, and the wait goes on', async () => {
    const ran = await logIn(async (address) => {
      const back = new URL(address.searchParams.get('redirect_uri') ?? '');
      const wrong = await fetch(`${back.href}?code=x&state=another&iss=${service.baseUrl}`);
      expect([wrong.status, await wrong.text()]).toEqual([
        400,
        'This is not the sign-in that the command line waits for.\n',
      ]);
      expect((await fetch(`${back.href}favicon.ico`)).status).toBe(400);
      const state = address.searchParams.get('state') ?? '';
      const otherHost = `http://localhost:${back.port}/?error=access_denied&state=${state}`;
      expect((await fetch(otherHost).catch(() => ({ status: 400 }))).status).toBe(400);
      return decide('Olga', 'Allow', address);
    });
    expect(ran.json).toMatchObject({ name: 'Olga' });
    await run(['logout']);
  });

  test('a code that another service passes on is not sent to it (RFC 9207)', async () => {
    const asked: string[] = [];
    const evil = await serve((request, response) => {
      asked.push(String(request.url));
      response.writeHead(404).end();
    });
    // Its page leads the browser to the honest service, with what the command line asked for.
    const honest = ({ pathname, search }: URL) => new URL(`${service.baseUrl}${pathname}${search}`);
    const ran = await logIn((address) => decide('Olga', 'Allow', honest(address)), {}, evil);
    expect(refusal(ran)).toEqual([1, 'not-reached']);
    expect(messageOf(ran)).toContain(`came from ${service.baseUrl}, not from ${evil}`);
    expect(asked).toEqual([]);
  });

  test('a token can be given instead of a browser; what is none, or of nobody with a role, is not kept', async () => {
    const given = (token: string) => run(['login', '--token-stdin', '--json'], { stdin: `${token}\n` });
    expect((await given(await service.token(operator))).json).toMatchObject({ user_id: operator });
    await run(['logout']);
    expect(refusal(await given('mkt_admin_none'))).toEqual([1, 'token-unknown']);
    expect(refusal(await given('two words'))).toEqual([1, 'token-unknown']);
    expect(refusal(await run(['login', '--token-stdin', '--json']))).toEqual([1, 'token-missing']);
    expect(kept()).toEqual([]);
  });

  test('FX-63: a given token is forgotten, by logout and by another login, and stays valid', async () => {
    const [first, second] = [
      await service.token(operator),
      await service.token(operator, '--name', 'second'),
    ];
    for (const token of [first, second])
      await run(['login', '--token-stdin', '--json'], { stdin: `${token}\n` });
    expect((await run(['whoami', '--json'])).json).toMatchObject({ user_id: operator });
    expect((await run(['logout'])).stdout).toContain('Signed out: the token is no longer kept here.');
    expect(kept()).toEqual([]);
    for (const token of [first, second])
      expect((await run(['whoami'], { env: { GRANTBOOK_TOKEN: token } })).exitCode).toBe(0);
  });

  /** What the page at the redirect address says to a browser that comes back with a code. */
  const comeBack = async (address: URL, iss = service.baseUrl) => {
    const parameter = (name: string) => address.searchParams.get(name) ?? '';
    const query = new URLSearchParams({ code: 'x', state: parameter('state'), iss });
    return (await fetch(`${parameter('redirect_uri')}?${query.toString()}`)).text();
  };
  const notSignedIn = 'You are not signed in: the command line says why. You can close this page.\n';

  test('FX-63: the page says "signed in" only once the command line has accepted it', async () => {
    const pages: string[] = [];
    const returning = (iss?: string) => async (address: URL) => {
      pages.push(await comeBack(address, iss));
    };
    const refused = await logIn(returning(`${service.baseUrl.toUpperCase()}/`));
    expect(refusal(refused), 'the service is this one, however it is spelled').toEqual([1, 'code-invalid']);
    const ofNobody = await serve((request, response) => {
      const json = { access_token: 'mkt_admin_x', name: 'x', user_id: 'x', roles: [], expires_at: null };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...json, version: packageVersion }));
    });
    expect(refusal(await logIn(returning(ofNobody), {}, ofNobody))).toEqual([1, 'not-an-operator']);
    const stop = new AbortController();
    const stopping = await serve(() => stop.abort());
    await logIn(returning(stopping), { signal: stop.signal }, stopping);
    expect(pages).toEqual([notSignedIn, notSignedIn, notSignedIn]);
    expect(kept()).toEqual([]);
  });

  test('an interruption ends the wait', async () => {
    const stop = new AbortController();
    const ran = await logIn(() => Promise.resolve(stop.abort()), { signal: stop.signal });
    expect(refusal(ran)).toEqual([1, 'not-signed-in']);
  });
});

describe('AP-08: bad input and bad servers', () => {
  const withToken = { env: { GRANTBOOK_TOKEN: 'mkt_admin_x' } };
  const list = ['addon', 'list', '--json'];

  test.each([
    ['nonsense', 'it is not a URL'],
    ['', 'it is missing'],
    ['ftp://auth.example', 'it must begin with https://'],
    ['http://auth.example', 'over http the token would be sent in clear'],
    ['http://127.0.0.1.evil.example', 'over http the token would be sent in clear'],
    ['https://ada:secret@auth.example', 'without a user, a query or a fragment'],
    ['https://auth.example/?x=1', 'without a user, a query or a fragment'],
  ])('the address %j is a usage error', async (address, why) => {
    const ran = await runOverApi(address, list, withToken);
    expect(refusal(ran)).toEqual([2, 'usage']);
    expect(messageOf(ran)).toContain(why);
    expect(ran.stdout).not.toContain('secret@');
  });

  test('an address next to the settings of servers is a usage error that names them', async () => {
    const ran = await run(list, {
      env: { ...withToken.env, EVENTSTORE_URL: 'esdb://x', TOKEN_KEYS: 'k1:x' },
    });
    expect(refusal(ran)).toEqual([2, 'usage']);
    expect(messageOf(ran)).toContain('EVENTSTORE_URL, TOKEN_KEYS are both set');
  });

  test('FX-63: an address is one service, however it is spelled', () => {
    const server = { url: 'https://auth.example/~grant' };
    for (const given of [server.url, 'HTTPS://Auth.Example:443/a/../%7egrant//'])
      expect(readServer(given)).toEqual(server);
  });

  test('help and version need no address', async () => {
    expect((await runOverApi('', ['--version'])).stdout).toContain(packageVersion);
    expect((await runOverApi('', ['addon', 'list', '--help'])).stdout).toContain('--columns');
  });

  test.each([
    [['migrate'], 'migrate'],
    [['keys', 'rotate'], 'keys'],
    [['doctor'], 'doctor'],
    [['eventstore', '--port', '0'], 'eventstore'],
    [['log', 'copy', '--to', 'esdb://x'], 'log'],
    [['projections', 'status'], 'projections'],
    [['parked', 'list'], 'parked'],
    [['history', 'status'], 'history'],
    [['kafka', 'status'], 'kafka'],
  ])('%j needs the servers, and says which settings', async (args, name) => {
    const ran = await run([...args, '--json'], withToken);
    expect(refusal(ran)).toEqual([1, 'needs-servers']);
    expect(messageOf(ran)).toMatch(
      new RegExp(`^${name} works on the servers themselves.*EVENTSTORE_URL, DATABASE_URL and TOKEN_KEYS`),
    );
  });

  test('nobody is signed in', async () => {
    const ran = await run(list);
    expect(refusal(ran)).toEqual([1, 'not-signed-in']);
    expect(messageOf(ran)).toBe(
      `nobody is signed in at ${service.baseUrl}: grantbook login --server ${service.baseUrl}`,
    );
  });

  test('a token that is none, expired, revoked or for one organization', async () => {
    expect(refusal(await run(list, withToken))).toEqual([1, 'token-unknown']);
    const made = await service.runJson(['user', 'token', 'create', '--user', operator, '--name', 'short']);
    await service.runJson(['user', 'token', 'revoke', String(made['token_id']), '--user', operator]);
    const ran = await run(list, { env: { GRANTBOOK_TOKEN: String(made['token']) } });
    expect(refusal(ran)).toEqual([1, 'token-revoked']);
    expect(messageOf(ran)).toBe('the token of GRANTBOOK_TOKEN was ended');
  });

  test('nothing answers', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const ran = await runOverApi(nowhere, list, withToken);
    expect(refusal(ran)).toEqual([1, 'not-reached']);
    expect(messageOf(ran)).toBe(`${nowhere} cannot be reached: ECONNREFUSED`);
  });

  test('it answers HTML, nothing, or closes the connection', async () => {
    const html = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to nginx</h1>'),
    );
    expect(messageOf(await runOverApi(html, list, withToken))).toContain(
      'answers 200 with text/html instead of JSON',
    );
    const empty = await serve((_request, response) => response.writeHead(204).end());
    expect(messageOf(await runOverApi(empty, list, withToken))).toContain('answers 204 with nothing');
    const broken = await serve((request) => request.socket.destroy());
    expect(refusal(await runOverApi(broken, list, withToken))).toEqual([1, 'not-reached']);
    const cut = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"user_id": '),
    );
    expect(refusal(await runOverApi(cut, list, withToken))).toEqual([1, 'not-reached']);
  });

  test('it accepts the connection and says nothing', async () => {
    const silent = await serve(() => undefined);
    await expect(send(silent, { patience: 50 })).rejects.toThrow('no answer');
  });

  test('FX-91: what it says does not control the terminal', async () => {
    const detail = 'Nothing\u001b[2J was\u0007 done';
    const body = JSON.stringify({ type: '/problems/x', title: 'x', status: 409, detail });
    const hostile = await serve((_request, response) =>
      response.writeHead(409, { 'content-type': 'application/problem+json' }).end(body),
    );
    const ran = await runOverApi(hostile, list, withToken);
    expect(ran.stdout).toContain('nothing\\u001b[2J was\\u0007 done');
    expect(ran.stdout + ran.stderr).not.toMatch(/[^\P{Control}\n]/u);
  });

  test('a redirect is not followed: the token goes nowhere else', async () => {
    const seen: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    for (const status of [301, 302, 307, 308]) {
      const server = await serve((_request, response) =>
        response.writeHead(status, { location: `${elsewhere}/operator/api/token` }).end(),
      );
      const ran = await runOverApi(server, list, withToken);
      expect(messageOf(ran)).toContain(`redirects to another address (${status})`);
    }
    expect(seen).toEqual([]);
  });

  test('a certificate that is not accepted', async () => {
    const app = createTlsServer((await makeCertificates()).server, (_request, response) => response.end());
    const ran = await runOverApi(`https://127.0.0.1:${await listening(app)}`, list, withToken);
    expect(refusal(ran)).toEqual([1, 'not-reached']);
    expect(messageOf(ran)).toContain('its TLS certificate is not accepted');
    expect(messageOf(ran)).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('another version: a warning within one major version, else a refusal', async () => {
    const json =
      (body: object, status = 200): RequestListener =>
      (_request, response) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const me = { user_id: 'x', name: 'x', roles: ['operator'], expires_at: null, items: [], next: null };
    const newer = await serve(json({ ...me, version: '2.0.0' }));
    const ran = await runOverApi(newer, list, withToken);
    expect(messageOf(ran)).toContain(
      `has version 2.0.0, and this command line ${packageVersion}: install version 2`,
    );
    const [major = ''] = packageVersion.split('.');
    const near = await serve(json({ ...me, version: `${major}.999.0` }));
    const warned = await runOverApi(near, list, withToken);
    expect([warned.exitCode, warned.stderr]).toEqual([
      0,
      expect.stringContaining(`has version ${major}.999.0`),
    ]);
    const old = await serve(json({ type: '/problems/not-found', title: 'Not found', status: 404 }, 404));
    expect(messageOf(await runOverApi(old, list, withToken))).toContain('it is no Grantbook');
  });

  test('on a terminal of 40 columns a list leaves columns out, as on the servers', async () => {
    const token = await service.token(operator);
    const ran = await run(['user', 'list'], { env: { GRANTBOOK_TOKEN: token }, columns: 40 });
    expect(ran.stdout).toContain('Left out, as the terminal is narrow');
    expect(
      Math.max(...(ran.stdout.split('Left out')[0] ?? '').split('\n').map((line) => line.length)),
    ).toBeLessThanOrEqual(40);
  });
});
