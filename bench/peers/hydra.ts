import { generateKeyPairSync } from 'node:crypto';
import type { Side } from '../against/side.ts';
import { chains } from '../against/sides.ts';
import { form } from '../token-steps.ts';
import {
  authorizationQuery,
  clientId,
  clientSecret,
  codeVerifier,
  redirectUri,
  sayWhere,
} from './bench-client.ts';
import { makeBrowser } from './browser.ts';
import { type Addresses, startHydra } from './hydra-server.ts';

/** Starts Ory Hydra with one client, opens its grants, and says where it is. */
const identity = ['openid', 'offline', 'offline_access'];
const scopes = [...identity, 'profiles:read', 'reservations:read', 'access-rights:read'];
const authorizePath = `/oauth2/auth?${authorizationQuery}`;
const tokenPath = '/oauth2/token';

const send = async <T>(method: 'POST' | 'PUT', url: string, body: unknown): Promise<T> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
};

const furnish = async (admin: string): Promise<void> => {
  // Of our size: its own would have 4,096 bits.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' };
  await send('PUT', `${admin}/admin/keys/hydra.openid.id-token`, { keys: [key] });
  await send('POST', `${admin}/admin/clients`, {
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: scopes.join(' '),
    redirect_uris: [redirectUri],
  });
};

/** Signs a user in and approves, where Hydra sends a browser to pages of its owner. @returns the code */
const authorize = async ({ baseUrl, admin }: Addresses, granted: readonly string[]): Promise<string> => {
  const accept = async (what: 'login' | 'consent', challenge: string): Promise<URL> => {
    const url = `${admin}/admin/oauth2/auth/requests/${what}/accept?${what}_challenge=${encodeURIComponent(challenge)}`;
    const accepted = what === 'login' ? { subject: 'bench' } : { grant_scope: granted };
    return new URL((await send<{ readonly redirect_to: string }>('PUT', url, accepted)).redirect_to);
  };
  const browser = makeBrowser();
  const scope = encodeURIComponent(granted.join(' '));
  let next = new URL(`${authorizePath}&client_id=${clientId}&scope=${scope}`, baseUrl);
  while (!next.href.startsWith(redirectUri)) {
    const [login, consent] = [
      next.searchParams.get('login_challenge'),
      next.searchParams.get('consent_challenge'),
    ];
    if (login !== null) next = await accept('login', login);
    else if (consent !== null) next = await accept('consent', consent);
    else next = await browser.follow(next);
  }
  const code = next.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${next.href}`);
  return code;
};

type Tokens = { readonly access_token: string; readonly refresh_token: string };

const open = async (at: Addresses, granted: readonly string[]): Promise<Tokens> => {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    code: await authorize(at, granted),
  });
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const headers = { ...form, authorization: `Basic ${basic}` };
  const answer = await fetch(`${at.baseUrl}${tokenPath}`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${tokenPath} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Tokens;
};

const start = async (): Promise<Side> => {
  const at = await startHydra();
  await furnish(at.admin);
  const withoutOpenid = scopes.filter((scope) => scope !== 'openid');
  const [plain, identified]: [string[], string[]] = [[], []];
  for (let index = 0; index < chains; index += 1) {
    plain.push((await open(at, withoutOpenid)).refresh_token);
    identified.push((await open(at, scopes)).refresh_token);
  }
  const { access_token: accessToken } = await open(at, withoutOpenid); // a refresh ends the access token before it
  return {
    baseUrl: at.baseUrl,
    clientId,
    clientSecret,
    cookies: [],
    redirectUri,
    codeVerifier,
    authorizePath,
    scopes,
    tokenPath,
    introspection: { baseUrl: at.admin, path: '/admin/oauth2/introspect' },
    opened: { plain, identified, accessToken },
  };
};

await sayWhere(start);
