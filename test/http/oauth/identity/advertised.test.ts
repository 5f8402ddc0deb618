import { afterAll, describe, expect, test } from 'vitest';
import { challenge } from '../../../support/scenes/grants.ts';
import { startHttpApp } from '../../../support/scenes/http-app.ts';
import { authorizeUrl, postToken, returned, setScene } from '../../../support/scenes/http-scene.ts';
import { testBrowser } from '../../../support/scenes/pages.ts';
import { templatesOf } from '../../../support/documents/registered-routes.ts';

/** What the metadata says is what there is: no less, and no more (MD-06). */
const http = await startHttpApp();
const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
const metadata = (await http.app.inject('/.well-known/openid-configuration')).json();
afterAll(() => http.close());

const listed = (name: string): readonly string[] => {
  const value = metadata[name];
  if (!Array.isArray(value)) throw new Error(`${name} is not in the metadata`);
  return value as string[];
};
const authorize = async (change: Readonly<Record<string, string>>) =>
  returned(await testBrowser(http.app).get(authorizeUrl(scene, change)))['error'];

describe('endpoints', () => {
  const advertised = () =>
    Object.entries(metadata).flatMap(([name, value]) =>
      /_(endpoint|uri)$/.test(name) ? [String(value).replace(http.baseUrl, '')] : [],
    );

  test('MD-06: each one that is named is there, with a method that it answers to', async () => {
    expect(advertised()).toHaveLength(7);
    for (const url of advertised()) {
      const answers = await Promise.all(
        (['GET', 'POST'] as const).map((method) => http.app.inject({ method, url })),
      );
      const statuses = answers.map(({ statusCode }) => statusCode);
      expect([url, statuses.includes(404), Math.max(...statuses) < 500]).toEqual([url, false, true]);
      expect([url, statuses.every((status) => status === 405)]).toEqual([url, false]);
    }
  });

  test('MD-06: there is none under /oauth that is not named, or a page on the way of one that is', () => {
    const oauth = templatesOf(http.app).filter((route) => route.startsWith('/oauth'));
    expect(oauth.length).toBeGreaterThanOrEqual(8);
    const unnamed = oauth.filter(
      (route) => !advertised().some((known) => route === known || route.startsWith(`${known}/`)),
    );
    expect(unnamed).toEqual([]);
  });

  test.each([
    '/oauth/par',
    '/oauth/register',
    '/oauth/device_authorization',
    '/oauth/ciba',
    '/oauth/session',
    '/.well-known/webfinger',
  ])('MD-06: %s, which is not named, is not there', async (url) => {
    for (const method of ['GET', 'POST'] as const)
      expect((await http.app.inject({ method, url })).statusCode).toBe(404);
  });
});

describe('at the authorization endpoint', () => {
  test('MD-05, MD-06: every value that is named is enabled, and request objects are not', async () => {
    const values = {
      response_type: listed('response_types_supported'),
      response_mode: listed('response_modes_supported'),
      code_challenge_method: listed('code_challenge_methods_supported'),
      prompt: listed('prompt_values_supported'),
      scope: ['openid', 'profiles:read'],
    };
    for (const [name, named] of Object.entries(values))
      for (const value of named) {
        const answer = await testBrowser(http.app).get(authorizeUrl(scene, { [name]: value }));
        const error = answer.statusCode === 303 ? returned(answer)['error'] : undefined;
        expect([name, value, error]).toEqual([name, value, value === 'none' ? 'login_required' : undefined]);
      }
    expect(listed('scopes_supported')).toEqual(expect.arrayContaining(values.scope));
    expect(metadata['request_parameter_supported']).toBe(false);
    expect(await authorize({ request: 'e30.e30.' })).toBe('request_not_supported');
    expect(metadata['request_uri_parameter_supported']).toBe(false);
    expect(await authorize({ request_uri: 'https://addon.example/r' })).toBe('request_uri_not_supported');
  });
});

describe('at the token endpoint', () => {
  test('MD-06, TK-04: every grant type that is named is enabled', async () => {
    const { client_credentials, ...others } = Object.fromEntries(
      listed('grant_types_supported').map((type) => [type, { grant_type: type, client_id: scene.clientId }]),
    );
    expect((await postToken(http.app, client_credentials ?? {})).json().error).toBe('unauthorized_client');
    for (const grant_type of Object.keys(others)) {
      const fields = { grant_type, client_id: scene.clientId };
      expect((await postToken(http.app, fields)).json().error).toBe('invalid_request');
      const all = { ...fields, code: 'x', redirect_uri: 'x', code_verifier: challenge, refresh_token: 'x' };
      expect((await postToken(http.app, all)).json().error).toBe('invalid_grant');
    }
  });
});

test('MD-06, JW-01: the keys are of the algorithms that are named, each at least once', async () => {
  const { keys } = (await http.app.inject('/oauth/jwks')).json<{ keys: { alg: string }[] }>();
  const named = listed('id_token_signing_alg_values_supported');
  expect(new Set(keys.map(({ alg }) => alg))).toEqual(new Set(named));
  expect(named).not.toContain('none');
});
