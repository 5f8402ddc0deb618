import { Auth, type AuthConfig } from '@auth/core';
import type { JWT } from '@auth/core/jwt';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeBrowser } from '../../demo/browser.ts';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';
import { serve } from '../support/servers/serve.ts';

const scene = await startClientScene();

type Kept = {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_at: number;
  readonly organization_id?: string;
};

/** An add-on of Auth.js: the provider by its issuer, `checks` all three, and refreshing as its guide shows it. */
const startAddon = async (authentication: Authentication, organization?: string) => {
  const address = await serve((request, response) => void answerWith(config, address, request, response));
  const register = organization ? scene.registerActive : scene.register;
  const { clientId, clientSecret } = await register(authentication, {
    redirectUris: [`${address}/auth/callback/grantbook`],
  });
  const errors: Error[] = [];
  const denials: unknown[] = [];
  const kept: Kept[] = [];
  const profiles: unknown[] = [];
  /** Seconds before its end at which an access token is renewed. */
  const renewal = { early: 0 };
  const config: AuthConfig = {
    basePath: '/auth',
    trustHost: true,
    secret: 'at least 32 characters of the add-on',
    providers: [
      {
        id: 'grantbook',
        name: 'Grantbook',
        type: 'oidc',
        issuer: scene.issuer,
        clientId,
        clientSecret,
        client: { token_endpoint_auth_method: authentication },
        authorization: {
          params: { scope: 'openid profile email profiles:read', ...(organization && { organization }) },
        },
        checks: ['pkce', 'state', 'nonce'],
        idToken: false, // name and e-mail address are in userinfo
      },
    ],
    callbacks: {
      jwt: async ({ token, account, profile }): Promise<JWT> => {
        if (profile) profiles.push(profile);
        const tokens = (account ?? token) as unknown as Kept;
        const due = Date.now() / 1000 > tokens.expires_at - renewal.early;
        const now = due ? await refresh(tokens, authentication, clientId, clientSecret) : tokens;
        if (account || due) kept.push(now);
        const { access_token, refresh_token, expires_at } = now;
        return { ...token, access_token, refresh_token, expires_at };
      },
    },
    debug: true, // only so does it say which error it was told
    logger: {
      error: (error) => void errors.push(error),
      warn: () => undefined,
      debug: (message, told) => void (message === 'OAuthCallbackError' && denials.push(told)),
    },
  };
  return { address, errors, denials, kept, profiles, renewal };
};

const refresh = async (
  { refresh_token }: Kept,
  authentication: Authentication,
  client_id: string,
  client_secret: string,
): Promise<Kept> => {
  const basic = authentication === 'client_secret_basic';
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const response = await fetch(`${scene.issuer}/oauth/token`, {
    method: 'POST',
    headers: basic ? { authorization: `Basic ${credentials}` } : {},
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token,
      ...(!basic && { client_id, client_secret }),
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const fresh = (await response.json()) as Kept & { readonly expires_in: number };
  return { ...fresh, expires_at: Math.floor(Date.now() / 1000) + fresh.expires_in };
};

/** Node's request and response around the library's, which are those of `fetch`. */
const answerWith = async (
  config: AuthConfig,
  address: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (!request.url?.startsWith('/auth/')) return void response.end('<h1>The add-on</h1>');
  const headers = new Headers(Object.entries(request.headers) as [string, string][]);
  const body = request.method === 'POST' ? { body: await text(request) } : {};
  const sent = new Request(address + request.url, { method: request.method ?? 'GET', headers, ...body });
  const answer = await Auth(sent, config);
  const cookies = answer.headers.getSetCookie();
  const plain = [...answer.headers].filter(([name]) => name !== 'set-cookie');
  response.writeHead(answer.status, { ...Object.fromEntries(plain), 'set-cookie': cookies });
  response.end(await answer.text());
};

const beginIn = async (browser: ReturnType<typeof makeBrowser>, address: string) =>
  browser.press(await browser.open(`${address}/auth/signin`), 'Sign in with Grantbook');

test.each(authentications)(
  'MD-01, ID-01, UI-04, RT-02: @auth/core signs in with PKCE, state and nonce, and refreshes (%s)',
  async (authentication) => {
    const { address, errors, kept, renewal } = await startAddon(authentication);
    const browser = makeBrowser();
    const back = await scene.answer(browser, await beginIn(browser, address), 'Allow');
    expect([errors, back.heading]).toEqual([[], 'The add-on']);
    const session = async () => JSON.parse((await browser.open(`${address}/auth/session`)).html) as object;
    expect(await session()).toMatchObject({ user: { name: 'Ada Ahoi', email: scene.email } });
    expect(await scene.namesWith(kept[0]?.access_token ?? '')).toEqual(['Ada Ahoi']);

    renewal.early = 7200;
    expect(await session()).toMatchObject({ user: { name: 'Ada Ahoi' } });
    expect(kept).toHaveLength(2);
    expect(kept[1]?.refresh_token).not.toBe(kept[0]?.refresh_token);
    expect(await scene.namesWith(kept[1]?.access_token ?? '')).toEqual(['Ada Ahoi']);
  },
);

test('AP-01: @auth/core reads for which organization its tokens are', async () => {
  const { address, kept, profiles } = await startAddon('client_secret_basic', scene.organizationId);
  const browser = makeBrowser();
  await scene.answer(browser, await beginIn(browser, address), 'Allow');
  const organization = { organization_id: scene.organizationId };
  expect([kept, profiles]).toMatchObject([[organization], [organization]]);
});

test('AZ-39: a denial is its OAuthCallbackError, and nobody is signed in', async () => {
  const { address, errors, denials, kept } = await startAddon('none');
  const browser = makeBrowser();
  await scene.answer(browser, await beginIn(browser, address), 'Do not allow');
  expect(errors).toMatchObject([{ type: 'OAuthCallbackError' }]);
  expect(denials).toMatchObject([{ providerId: 'grantbook', error: 'access_denied' }]);
  expect(kept).toEqual([]);
});
