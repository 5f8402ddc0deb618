import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discovery } from '../../../../src/http/oauth/identity/plugin.ts';
import { startPlugins, type PluginApp } from '../../../support/scenes/plugin-app.ts';

type Metadata = Readonly<Record<string, unknown>>;

const names = ['oauth-authorization-server', 'openid-configuration'];

describe.each(['https://market.example', 'https://market.example/grantbook', 'https://market.example/a/b/'])(
  'the metadata of %s',
  (issuer) => {
    let http: PluginApp;
    beforeAll(
      async () =>
        void (http = await startPlugins([discovery], {
          config: { baseUrl: 'http://grantbook.test', issuer },
        })),
    );
    afterAll(() => http.close());

    const pathOf = new URL(issuer).pathname.replace(/\/$/, '');
    const urls = names.flatMap((name) => [
      `/.well-known/${name}${pathOf}`,
      `${pathOf}/.well-known/${name}`,
      `/.well-known/${name}`,
    ]);
    const metadata = async (url = urls[0] ?? '') => (await http.app.inject(url)).json<Metadata>();

    test('MD-01, MD-07: is at every form of its address, cacheable, for any origin', async () => {
      const first = await metadata();
      for (const url of urls) {
        const { statusCode, headers, body } = await http.app.inject(url);
        expect([url, statusCode]).toEqual([url, 200]);
        expect(headers['content-type']).toContain('application/json');
        expect(headers['cache-control']).toBe('public, max-age=300');
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(JSON.parse(body)).toEqual(first);
      }
    });

    test('FX-23: the lists are a protected resource, at every form of its address (RFC 9728)', async () => {
      const known = '/.well-known/oauth-protected-resource';
      for (const url of [known, `${known}${pathOf}`, `${pathOf}${known}`]) {
        const { statusCode, headers, body } = await http.app.inject(url);
        expect([url, statusCode, headers['access-control-allow-origin']]).toEqual([url, 200, '*']);
        expect(JSON.parse(body)).toEqual({
          resource: 'http://grantbook.test',
          authorization_servers: [issuer],
          scopes_supported: ['profiles:read', 'reservations:read', 'access-rights:read'],
          bearer_methods_supported: ['header'],
          resource_documentation: 'http://grantbook.test/docs',
        });
      }
    });

    test('MD-02: names its issuer octet for octet', async () => {
      expect((await metadata())['issuer']).toBe(issuer);
    });

    test('MD-04, MD-05: says what this server can do, and what not', async () => {
      expect(await metadata()).toMatchObject({
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        scopes_supported: [
          'openid',
          'profile',
          'email',
          'profiles:read',
          'reservations:read',
          'access-rights:read',
          'ssf.read',
          'ssf.manage',
        ],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']) as string[],
        claims_supported: [
          'iss',
          'sub',
          'aud',
          'exp',
          'iat',
          'auth_time',
          'nonce',
          'at_hash',
          'acr',
          'amr',
          'name',
          'updated_at',
          'email',
          'email_verified',
          'organization_id',
          'organization_name',
          'external_id',
        ],
        prompt_values_supported: ['none', 'consent', 'login', 'select_account'],
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
      });
    });

    test('MD-04: names the endpoints for tokens, and how one proves oneself there', async () => {
      expect(await metadata()).toMatchObject({
        revocation_endpoint: `${http.baseUrl}/oauth/revoke`,
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        introspection_endpoint: `${http.baseUrl}/oauth/introspect`,
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      });
    });

    test('RT-18: advertises no sender-constrained tokens', async () => {
      for (const url of urls)
        expect(Object.keys(await metadata(url)).join()).not.toMatch(/dpop|mtls|tls_client/);
    });

    test('MD-03: holds no empty array', async () => {
      for (const value of Object.values(await metadata())) expect(value).not.toEqual([]);
    });
  },
);
