import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { ByteWriter } from '../../src/commands/credentials/credential-bytes.ts';
import { mintCredential } from '../../src/commands/credentials/credentials.ts';
import { lists } from '../../src/http/lists/lists.ts';
import { authorize } from '../../src/http/oauth/authorize/plugin.ts';
import { userInfo } from '../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../src/http/oauth/token/plugin.ts';
import { session } from '../../src/http/session/plugin.ts';
import { cursorKeysOf } from '../support/scenes/http-app.ts';
import { authorizeUrl, listWith, setScene, signedIn } from '../support/scenes/http-scene.ts';
import { cookieOf } from '../support/scenes/our-cookies.ts';
import { formsOf, words } from '../support/scenes/pages.ts';
import { startPlugins } from '../support/scenes/plugin-app.ts';
import { obtainTokensOf, presentAs } from '../support/scenes/presented-tokens.ts';

// What was stored and signed before the first release, made by hand under keys that are known here.

let interactionKey: Uint8Array = randomBytes(32);
const http = await startPlugins((parts) => {
  [interactionKey] = parts.interactionKeys;
  return [lists, authorize, session, userInfo, tokenEndpoints].map((plugin) => plugin(parts));
});
const scene = await setScene(http, { confidential: true, allowedScopes: ['openid', 'profiles:read'] });
const { access_token: accessToken } = await obtainTokensOf(http, scene, { subject: 'user' });
afterAll(() => http.close());

const macOf = (label: string, text: string): string =>
  createHmac('sha256', interactionKey).update(`grantbook ${label} 1\n${text}`).digest('base64url');

/** A token for the user's own records: everything behind the claims' version, where there was one. */
const tokenWith = (writeVersion: (writer: ByteWriter) => void, isComplete = true): string => {
  const origin = { keyId: 'k1', salt: 'c2FsdHNhbHRzYWx0c2FsdA' };
  const address = { grantId: scene.clientId, rotation: 0, expiresAt: http.now() + 60_000 };
  return mintCredential(http.keys, 'access', origin, address, (writer) => {
    writeVersion(writer);
    writer.id(scene.clientId);
    writer.id(scene.userId);
    writer.byte(3);
    writer.id(scene.userId);
    writer.uint32(0);
    writer.bytes(Uint8Array.of(2, 1, 2));
    if (isComplete) writer.bytes(Uint8Array.of(1, 0, 0, 0, 1));
  });
};

test.each([
  ['without a version', tokenWith(() => undefined)],
  ['without a version and an audience', tokenWith(() => undefined, false)],
  ['of the version 0xf1', tokenWith((writer) => writer.byte(0xf1))],
])('an access token %s is refused like a forged one', async (_which, token) => {
  const forged = `${accessToken.slice(0, -4)}AAAA`;
  for (const url of ['/profiles', '/oauth/userinfo']) {
    const [refused, as] = [await listWith(http, url, token), await listWith(http, url, forged)];
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      401,
      as.headers['www-authenticate'],
    ]);
  }
  expect((await presentAs(http, '/oauth/introspect', scene, { token })).json()).toEqual({ active: false });
  expect((await presentAs(http, '/oauth/revoke', scene, { token })).statusCode).toBe(200);
});

/** The layout 1 had no numbers of a walk, 2 had them behind the others. */
const cursorIn = (layout: 1 | 2): string => {
  const [{ id, key }] = cursorKeysOf(http.keys);
  const keyFor = (use: string) => createHmac('sha256', key).update(use).digest();
  const contents = Buffer.concat([
    Buffer.alloc(layout === 1 ? 30 : 50, 1),
    Buffer.from(scene.organizationId),
  ]);
  const head = Buffer.concat([Buffer.from([layout, id.length]), Buffer.from(id)]);
  const mac = createHmac('sha256', keyFor('mac')).update(head).update(contents).digest().subarray(0, 16);
  const hidden = createCipheriv('aes-256-ctr', keyFor('cipher'), mac).update(contents);
  return Buffer.concat([head, hidden, mac]).toString('base64url');
};

test.each([1, 2] as const)('a cursor and a sync_token in layout %i are forged', async (layout) => {
  for (const parameter of ['cursor', 'sync_token']) {
    const refused = await listWith(http, `/profiles?page=2&${parameter}=${cursorIn(layout)}`, accessToken);
    expect([refused.statusCode, refused.json().errors]).toMatchObject([400, [{ parameter, code: 'forged' }]]);
  }
});

test('a cookie under a name without the installation is nobody’s', async () => {
  const browser = await signedIn(http, scene);
  const cookies = { grantbook_session: cookieOf(browser, 'session') ?? '' };
  const page = await http.app.inject({ url: '/sign-out', cookies });
  expect(words(page.body)).toContain('You are signed out');
  expect((await browser.get('/sign-out')).body).not.toContain('You are signed out');
});

test('a form on the way to an add-on is not complete, whatever is pressed', async () => {
  const browser = await signedIn(http, scene);
  const page = await browser.get(authorizeUrl(scene, { prompt: 'consent' }));
  const sent = formsOf(page.body).find(({ fields }) => fields['interaction'])?.fields['interaction'] ?? '';
  const [, body = ''] = sent.split('.');
  const { form: _, ...interaction } = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
    readonly form: string;
    readonly pending: { readonly request: object };
  };
  const { passedOn: __, select: ___, ...request } = interaction.pending.request as Record<string, unknown>;
  const older = { ...interaction, pending: { ...interaction.pending, request } };
  const text = Buffer.from(JSON.stringify(older)).toString('base64url');
  const signed = `${text}.${macOf('interaction', text)}`;
  for (const url of ['/sign-in', '/oauth/authorize/decision', '/oauth/authorize/another-user']) {
    const refused = await browser.post(url, { interaction: signed, decision: 'approve', email: scene.email });
    expect([url, refused.statusCode]).toEqual([url, 400]);
    expect(words(refused.body)).toContain('The link or the form was not complete. Nothing was changed.');
  }
  expect((await browser.press(page, 'Allow')).statusCode).toBe(303);
});

test('a form of a session is not complete', async () => {
  const browser = await signedIn(http, scene);
  const [sessionId = ''] = cookieOf(browser, 'session')?.split('.') ?? [];
  const proof = macOf('form', sessionId);
  const text = `${proof}=${randomBytes(16).toString('base64url')}.${http.now().toString(36)}`;
  for (const csrf of [proof, `${text}.${macOf('form', text)}`]) {
    const refused = await browser.post('/sign-out', { csrf });
    expect(refused.statusCode).toBe(403);
    expect(words(refused.body)).toContain('The link or the form was not complete. Nothing was changed.');
  }
  expect((await browser.press(await browser.get('/sign-out'), 'Sign out')).statusCode).toBe(303);
});
