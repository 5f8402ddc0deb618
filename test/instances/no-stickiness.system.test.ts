import * as client from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBrowser, type Browser, type Page } from '../../demo/browser.ts';
import { buttonOf, deactivateByHand, openActive, openListOf } from '../../demo/steps/administrator.ts';
import { valueOf } from '../support/outcomes.ts';
import { clockThatSteps } from '../support/servers/instance.ts';
import { person, startScene, type Scene } from './scene.ts';
import { beginAuthorization } from '../support/scenes/begin-authorization.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ NODE_OPTIONS: clockThatSteps });
});
afterAll(async () => {
  await scene.close();
});

/** A confidential add-on, as openid-client has it after discovery. */
const register = async () => {
  const { redirectUri, core, proxy } = scene;
  const { clientId, clientSecret } = valueOf(
    await core.commands.registerAddon({
      name: 'Door Opener',
      redirectUris: [redirectUri],
      configurationUrl: redirectUri,
      postLogoutRedirectUris: [redirectUri],
      allowedScopes: ['openid', 'profiles:read'],
      confidential: true,
    }),
  );
  const config = (secret: string) =>
    client.discovery(new URL(proxy.url), clientId, {}, client.ClientSecretBasic(secret), {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });
  const secret = clientSecret ?? '';
  return { clientId, clientSecret: secret, config: await config(secret) };
};
/** What one instance hears from the log of another's doing. */

type Registered = Awaited<ReturnType<typeof register>>;

const addonsPage = () => `${scene.proxy.url}/admin/organizations/${scene.organizationId}`;

const signIn = (browser: Browser, page: Page) =>
  browser.press(page, 'Sign in', { 'E-mail address': person.email, Password: person.password });

const activate = async (browser: Browser, clientId: string) => {
  const page = await openListOf(browser, addonsPage(), clientId);
  return browser.press(page, buttonOf(page, clientId, 'Activate') ?? 'no button to activate');
};

const begin = ({ config }: Registered) =>
  beginAuthorization(config, { redirect_uri: scene.redirectUri, scope: 'openid profile profiles:read' });

/** Signed in already: allows what is asked for, and exchanges the code. */
const connect = async (browser: Browser, addon: Registered) => {
  const { checks, link } = await begin(addon);
  const page = await browser.open(link.href);
  const isBack = page.url.href.startsWith(scene.redirectUri);
  const back = isBack ? page : await browser.press(page, 'Allow');
  return client.authorizationCodeGrant(addon.config, back.url, checks);
};

const listStatus = async (accessToken: string, times = 2) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1)
    statuses.push(
      (await fetch(`${scene.proxy.url}/profiles`, { headers: { authorization: `Bearer ${accessToken}` } }))
        .status,
    );
  return statuses;
};

test('every page, form, token and key of one instance holds on the other one', async () => {
  const addon = await register();
  const { config, clientId } = addon;
  const browser = makeBrowser();
  expect((await signIn(browser, await browser.open(addonsPage()))).url.href).toBe(addonsPage());
  const handedOff = await activate(browser, clientId);
  expect(handedOff.url.href).toContain(scene.redirectUri);

  const first = await connect(browser, addon);
  expect(first.claims()).toMatchObject({ iss: scene.proxy.url, sub: scene.userId });
  const tokens = await client.refreshTokenGrant(config, first.refresh_token ?? '');
  expect(tokens.claims()).toMatchObject({ sub: scene.userId });
  for (const token of [tokens.access_token, tokens.access_token]) {
    expect(await client.fetchUserInfo(config, token, scene.userId)).toMatchObject({ name: 'Bo' });
    expect(await client.tokenIntrospection(config, token)).toMatchObject({ active: true });
  }
  expect(await listStatus(tokens.access_token)).toEqual([200, 200]);

  await client.tokenRevocation(config, tokens.refresh_token ?? '');
  expect(await listStatus(tokens.access_token)).toEqual([401, 401]);
  for (const token of [tokens.access_token, tokens.refresh_token ?? ''])
    expect(await client.tokenIntrospection(config, token)).toEqual({ active: false });

  const second = await connect(browser, addon);
  const shown = await browser.open(`${scene.proxy.url}/account`);
  expect([shown.status, shown.html.includes(person.email)]).toEqual([200, true]);
  const { receipt } = await deactivateByHand(
    browser,
    await openActive(browser, addonsPage(), clientId),
    clientId,
  );
  expect([receipt.status, receipt.url.searchParams.has('receipt')]).toEqual([200, true]);
  expect(await listStatus(second.access_token)).toEqual([401, 401]);
  await expect(client.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });

  const signOut = client.buildEndSessionUrl(config, {
    id_token_hint: second.id_token ?? '',
    post_logout_redirect_uri: scene.redirectUri,
  });
  expect((await browser.open(signOut.href)).url.href).toBe(scene.redirectUri);
  for (const _ of scene.addresses)
    expect((await browser.open(`${scene.proxy.url}/account`)).html).toContain('type="password"');

  const [one = 0, other = 0] = scene.addresses.map((address) => scene.proxy.served.get(address));
  expect(Math.abs(one - other), 'each request went to the other instance').toBeLessThanOrEqual(1);
});

test('failed sign-ins are counted together, whichever instance is asked', async () => {
  const browser = makeBrowser();
  const email = 'nobody@example.com';
  let page = await browser.open(`${scene.proxy.url}/sign-in`);
  const statuses: number[] = [];
  // The wait after the fifth is a second, and each later one doubles it: a busy machine may be past the first ones.
  while (statuses.at(-1) !== 429 && statuses.length < 10) {
    page = await browser.press(page, 'Sign in', { 'E-mail address': email, Password: 'wrong' });
    statuses.push(page.status);
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.at(-1)).toBe(429);
});

test('AD-02: a new secret works on both instances, and a removed one on none of them', async () => {
  const addon = await register();
  const { clientId, clientSecret } = addon;
  const authenticates = async (address: string, secret: string) => {
    const answer = await fetch(`${address}/oauth/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ token: 'mkt_at_unknown' }),
    });
    return answer.status;
  };
  const onBoth = (secret: string) => Promise.all(scene.addresses.map((to) => authenticates(to, secret)));
  expect(await onBoth(clientSecret)).toEqual([200, 200]);
  const { commands } = scene.core;
  const added = valueOf(await commands.addAddonSecret(clientId));
  await expect.poll(() => onBoth(added.clientSecret)).toEqual([200, 200]);
  const [oldest] = (await commands.listAddonSecrets(clientId)) ?? [];
  valueOf(await commands.removeAddonSecret({ addonId: clientId, secretId: oldest?.secretId ?? '' }));
  await expect.poll(() => onBoth(clientSecret)).toEqual([401, 401]);
  expect(await onBoth(added.clientSecret)).toEqual([200, 200]);
});

test('SU-01: a suspension by the command line holds on both instances at once', async () => {
  const addon = await register();
  const browser = makeBrowser();
  await signIn(browser, await browser.open(addonsPage()));
  await activate(browser, addon.clientId);
  const tokens = await connect(browser, addon);
  expect(await listStatus(tokens.access_token)).toEqual([200, 200]);
  valueOf(await scene.core.commands.suspendAddon(addon.clientId));
  expect(await listStatus(tokens.access_token)).toEqual([401, 401]);
  for (const _ of scene.addresses)
    await expect(client.refreshTokenGrant(addon.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'unauthorized_client',
    });
  valueOf(await scene.core.commands.resumeAddon(addon.clientId));
  expect(await listStatus(tokens.access_token)).toEqual([200, 200]);
});

test('JW-02: a key that is rotated in is published by both instances before it signs anything', async () => {
  const rotated = await scene.core.signingKeys.rotate('RS256');
  const kid = rotated.ok ? rotated.key.kid : '';
  const published = async (address: string) => {
    const { keys } = (await (await fetch(`${address}/oauth/jwks`)).json()) as { keys: { kid: string }[] };
    return keys.some((key) => key.kid === kid);
  };
  const both = () => Promise.all(scene.addresses.map(published));
  // Their clocks go forward: an instance may not know for half a minute that there is another key (docs/reference/running.md).
  for (const { child } of scene.instances) child.kill('SIGWINCH');
  await expect.poll(both).toEqual([true, true]);
});
