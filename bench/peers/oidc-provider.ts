import { createHash, randomBytes } from 'node:crypto';
import type { Side } from '../against/side.ts';
import { startProgram } from '../child.ts';
import { closeAll, closeWhenInterrupted } from '../closing.ts';
import { makeBrowser } from './browser.ts';

/** Starts `oidc-provider` with one client, signs a user in there, and says where it is. A port can be given. */
const [port = '0'] = process.argv.slice(2);

closeWhenInterrupted();
const redirectUri = 'https://addon.example/callback';
const clientId = 'bench';
const clientSecret = randomBytes(32).toString('base64url');
const codeVerifier = 'bench-'.padEnd(64, 'v');
const scopes = ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'];
const query = new URLSearchParams({
  redirect_uri: redirectUri,
  response_type: 'code',
  state: 'bench',
  code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  code_challenge_method: 'S256',
});
const authorizePath = `/oauth/authorize?${query.toString()}`;

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

try {
  console.log(JSON.stringify(await start()));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await closeAll();
  process.exit(1);
}
