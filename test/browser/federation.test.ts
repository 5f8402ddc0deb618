import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { startHttpApp, type OwnHttpApp } from '../support/scenes/http-app.ts';
import { lateAddress } from '../support/servers/listening-app.ts';
import {
  clientSecret,
  startUpstreamProvider,
  type UpstreamProvider,
} from '../support/servers/upstream-provider.ts';

const mark = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="#b4501e"/></svg>',
).toString('base64');

describe.skipIf(!hasChromium)('signing in with a provider in Chromium (needs /usr/bin/chromium)', () => {
  let upstream: UpstreamProvider;
  let http: OwnHttpApp;
  let chrome: Browser;
  let baseUrl = 'http://127.0.0.1';

  beforeAll(async () => {
    upstream = await startUpstreamProvider();
    http = await startHttpApp({
      around: (needs) => ({ ...needs, config: lateAddress(needs.config, () => baseUrl) }),
      signIn: {
        providers: [
          {
            id: 'platform',
            name: 'Platform ID',
            issuer: upstream.issuer,
            clientId: 'grantbook',
            clientSecret,
            scopes: ['openid', 'profile'],
            claims: { name: 'name', email: 'email', administratorOf: null, roles: null },
            logo: { mediaType: 'image/svg+xml', data: mark },
          },
        ],
      },
    });
    baseUrl = await http.app.listen({ port: 0, host: '127.0.0.1' });
    upstream.register([baseUrl], 'platform');
    upstream.users.set('grace', { name: 'Grace Hopper' });
    upstream.signInAs('grace');
    chrome = await launchChromium();
  }, 60_000);
  afterAll(async () => {
    await chrome?.close();
    await http?.close();
    await upstream?.close();
  });

  test('FE-06, FE-08: the button leads there and back, and so does the sign-out, under the pages’ own policies', async () => {
    const page = await (await chrome.newContext()).newPage();
    await page.goto(`${baseUrl}/account`);
    const button = page.getByRole('button', { name: 'Sign in with Platform ID' });
    expect(await button.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(20); // PG-07
    await button.click();
    await page.waitForURL(`${baseUrl}/account`);
    expect(await page.getByText('Grace Hopper').first().isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${upstream.issuer}/**`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${baseUrl}/sign-out`);
    expect(await page.getByRole('heading').first().textContent()).toBe('You are signed out');
    await page.goto(`${baseUrl}/account`);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });
});
