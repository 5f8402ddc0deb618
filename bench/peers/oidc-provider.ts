import type { Side } from '../against/side.ts';
import { startProgram } from '../child.ts';
import {
  authorizationQuery,
  clientId,
  clientSecret,
  codeVerifier,
  redirectUri,
  sayWhere,
} from './bench-client.ts';
import { makeBrowser } from './browser.ts';

/** Starts `oidc-provider` with one client, signs a user in there, and says where it is. A port can be given. */
const [port = '0'] = process.argv.slice(2);

const scopes = ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'];
const authorizePath = `/oauth/authorize?${authorizationQuery}`;

/** Follows the redirects of an authorization as a browser does. @returns the cookies that it then has */
const signIn = async (baseUrl: string): Promise<string> => {
  const { cookies, follow } = makeBrowser();
  let next = new URL(
    `${authorizePath}&client_id=${clientId}&scope=${encodeURIComponent(scopes.join(' '))}`,
    baseUrl,
  );
  while (next.href.startsWith(baseUrl)) next = await follow(next);
  return [...cookies]
    .filter(([name]) => name.startsWith('_session'))
    .map((pair) => pair.join('='))
    .join('; ');
};

const start = async (): Promise<Side> => {
  const about = [clientId, clientSecret, redirectUri, scopes.join(' '), port];
  const { said: baseUrl } = await startProgram<string>(process.env, 'peers/oidc-server', ...about);
  const cookies = [await signIn(baseUrl)];
  return { baseUrl, clientId, clientSecret, cookies, redirectUri, codeVerifier, authorizePath, scopes };
};

await sayWhere(start);
