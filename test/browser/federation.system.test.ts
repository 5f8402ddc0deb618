import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryStore } from '../support/memory/memory-store.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import {
  clientSecret,
  startUpstreamProvider,
  type UpstreamProvider,
} from '../support/servers/upstream-provider.ts';
import { inChromium, newPage } from './in-chromium.ts';

const mark = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="#b4501e"/></svg>',
).toString('base64');

describe.skipIf(!hasChromium)('signing in with a provider in Chromium (needs /usr/bin/chromium)', () => {
  let upstream: UpstreamProvider;
  beforeAll(async () => void (upstream = await startUpstreamProvider()));
  afterAll(() => upstream?.close());
  const here = inChromium(async () => {
    const http = await startListeningApp({
      store: memoryStore(),
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
    upstream.register([http.baseUrl], 'platform');
    upstream.users.set('grace', { name: 'Grace Hopper' });
    upstream.signInAs('grace');
    return http;
  });

  test('FE-06, FE-08: the button leads there and back, and so does the sign-out, under the pages’ own policies', async () => {
    const { baseUrl } = here.scene;
    const { page } = await newPage(here.chrome);
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
