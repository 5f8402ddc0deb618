import { randomBytes } from 'node:crypto';
import { chains } from '../against/sides.ts';
import type { Side } from '../against/side.ts';
import { load } from '../load.ts';
import { form, refreshing } from '../token-steps.ts';
import { clientId, clientSecret, sayWhere } from './bench-client.ts';
import { startKeycloak } from './keycloak-server.ts';

/**
 * Starts Keycloak with one client, and opens grants by passwords, each a user session of its own, which Keycloak keeps in
 * its database. It rotates refresh tokens, as we do; its access tokens are signed JWTs, where ours are opaque.
 */
const password = randomBytes(16).toString('base64url');
const endpoint = '/realms/bench/protocol/openid-connect/token';
const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
const usernames = Array.from({ length: chains }, (_, index) => `user-${index}`);
const days = 86_400;

const realm = {
  realm: 'bench',
  enabled: true,
  sslRequired: 'none',
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  bruteForceProtected: false,
  accessTokenLifespan: 3_600,
  ssoSessionIdleTimeout: 30 * days,
  ssoSessionMaxLifespan: 30 * days,
  clients: [
    {
      clientId,
      secret: clientSecret,
      directAccessGrantsEnabled: true,
      protocolMappers: [
        // Keycloak calls a token inactive for a client that is not in its audience.
        {
          name: 'audience',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-audience-mapper',
          config: { 'included.client.audience': clientId, 'access.token.claim': 'true' },
        },
      ],
    },
  ],
  users: usernames.map((username) => ({
    username,
    enabled: true,
    email: `${username}@example.com`,
    emailVerified: true,
    firstName: 'Bench',
    lastName: username,
    credentials: [{ type: 'password', value: password }],
  })),
};

type Tokens = { readonly access_token: string; readonly refresh_token: string };

const post = async (url: string, headers: Record<string, string>, body: string): Promise<Response> => {
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (answer.ok) return answer;
  throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
};

const grantByPassword = async (
  url: string,
  headers: Record<string, string>,
  params: Readonly<Record<string, string>>,
): Promise<Tokens> => {
  const body = new URLSearchParams({ grant_type: 'password', ...params }).toString();
  return (await (await post(url, { ...form, ...headers }, body)).json()) as Tokens;
};

const makeRealm = async (baseUrl: string, admin: Readonly<Record<string, string>>): Promise<void> => {
  const url = `${baseUrl}/realms/master/protocol/openid-connect/token`;
  const { access_token } = await grantByPassword(url, {}, { ...admin, client_id: 'admin-cli' });
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  await post(`${baseUrl}/admin/realms`, headers, JSON.stringify(realm));
};

const openGrants = async (baseUrl: string) => {
  const plain: string[] = [];
  const identified: string[] = [];
  let accessToken = '';
  for (const username of usernames) {
    const open = (scope: string) =>
      grantByPassword(baseUrl + endpoint, { authorization }, { username, password, scope });
    const [without, withOpenid] = await Promise.all([open('profile'), open('openid profile')]);
    plain.push(without.refresh_token);
    identified.push(withOpenid.refresh_token);
    accessToken = without.access_token;
  }
  return { plain, identified, accessToken };
};

const start = async (): Promise<Side> => {
  const admin = { username: 'admin', password: randomBytes(16).toString('base64url') };
  const baseUrl = await startKeycloak(admin);
  await makeRealm(baseUrl, admin);
  const opened = await openGrants(baseUrl);
  const introspection = { baseUrl, path: `${endpoint}/introspect` };
  const body = () => `token=${opened.accessToken}`;
  const introspect = { ...introspection, method: 'POST', headers: { ...form, authorization }, body } as const;
  const answer = await (await post(baseUrl + introspect.path, introspect.headers, body())).text();
  if (!answer.includes('"active":true')) throw new Error(`a new access token is not active: ${answer}`);
  const refreshed = [opened.plain, opened.identified].map((tokens) =>
    refreshing({ clientId, authorization, tokenPath: endpoint }, tokens),
  );
  // So many that Java has compiled what is measured: its compilers would count as CPU of the first bursts.
  for (const step of [...refreshed, introspect])
    await load({ baseUrl, inFlight: 16, amount: step === introspect ? 5_000 : 2_500, expect: 200, step });
  const scopes = ['openid', 'profile'];
  const unused = { cookies: [], redirectUri: '', codeVerifier: '', authorizePath: '' };
  return { ...unused, baseUrl, clientId, clientSecret, scopes, tokenPath: endpoint, introspection, opened };
};

await sayWhere(start);
