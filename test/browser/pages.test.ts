import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCallbackServer } from '../../demo/callback-server.ts';
import { packageRoot } from '../../src/package-root.ts';
import { verifier } from '../support/grants.ts';
import { realStore, startHttpApp, type HttpApp } from '../support/http-app.ts';
import { activate, authorizeUrl, password, postToken, setScene, type Scene } from '../support/http-scene.ts';

const executablePath = '/usr/bin/chromium';
const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** `SCREENSHOTS=1` takes the pictures of docs/screenshots anew. */
const pictures = process.env['SCREENSHOTS'] === '1';

describe.skipIf(!existsSync(executablePath))(
  'in Chromium without JavaScript (needs /usr/bin/chromium)',
  () => {
    let http: HttpApp;
    let addon: Awaited<ReturnType<typeof startCallbackServer>>;
    let chrome: Browser;
    let scene: Scene;
    let baseUrl = 'http://127.0.0.1';

    beforeAll(async () => {
      addon = await startCallbackServer();
      http = await startHttpApp({
        store: await realStore(),
        around: (needs) => ({ ...needs, config: lateAddress(() => baseUrl) }),
      });
      baseUrl = await http.app.listen({ port: 0, host: '127.0.0.1' });
      scene = await setScene(http, {
        redirectUris: [addon.redirectUri],
        configurationUrl: addon.redirectUri.replace('callback', 'configure'),
      });
      chrome = await chromium.launch({ executablePath, args: flags.split(' ') });
    });
    afterAll(async () => {
      await chrome?.close();
      await http?.close();
      await addon?.close();
    });

    const visit = async <T>(options: BrowserContextOptions, work: (page: Page) => Promise<T>): Promise<T> => {
      const context = await chrome.newContext({ javaScriptEnabled: false, ...options });
      const complaints: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => {
        if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
      });
      try {
        const done = await work(page);
        expect(complaints).toEqual([]);
        return done;
      } finally {
        await context.close();
      }
    };

    const signIn = async (page: Page) => {
      await page.getByLabel('E-mail address').fill(scene.email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };

    const start = (change: Record<string, string> = {}) =>
      baseUrl + authorizeUrl(scene, { redirect_uri: addon.redirectUri, ...change });

    test('AZ-43: a user signs in, approves, and arrives at the add-on with a code that works', async () => {
      await visit({}, async (page) => {
        await page.goto(start());
        await picture(page, 'sign-in');
        await signIn(page);
        await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
        await picture(page, 'approval');
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
        const back = new URL(page.url()).searchParams;
        expect([back.get('state'), back.get('iss')]).toEqual(['st+&=%#', baseUrl]);
        const exchanged = await postToken(http.app, {
          grant_type: 'authorization_code',
          client_id: scene.clientId,
          code: back.get('code') ?? '',
          redirect_uri: addon.redirectUri,
          code_verifier: verifier,
        });
        expect(exchanged.statusCode).toBe(200);
      });
    });

    test('AC-01, AZ-43: an administrator activates, is sent to the add-on, and approves for the organization', async () => {
      await visit({}, async (page) => {
        await page.goto(`${baseUrl}/admin`);
        await signIn(page);
        await page.getByRole('link', { name: 'Add-ons of' }).click();
        await page.getByRole('button', { name: 'Activate Door Sync' }).click();
        await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
        expect(page.url()).toMatch(/\/configure\?activation_hint=/);
        await page.goto(start());
        expect(await page.getByRole('radio', { name: 'Harbour Club' }).isChecked()).toBe(true);
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
        await http.settle();
        await page.goto(`${baseUrl}/admin/organizations/${scene.organizationId}`);
        await picture(page, 'add-ons');
        await page.locator('summary', { hasText: 'Deactivate' }).click();
        await page.getByRole('button', { name: 'Deactivate Door Sync' }).click();
        await page.getByText('Deactivated', { exact: true }).waitFor();
      });
    });

    test('on a phone in the dark the choice of the subject fits, and Tab reaches everything in its order', async () => {
      await activate(http, scene);
      await visit({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }, async (page) => {
        await page.goto(start({ prompt: 'consent' }));
        await signIn(page);
        await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
        await picture(page, 'approval-phone-dark');
        expect(await page.getByRole('radio').count()).toBe(2);
        const { width = 0 } = (await page.locator('main').boundingBox()) ?? {};
        expect(width).toBeLessThanOrEqual(360);
        const reached: (string | null)[] = [];
        for (let step = 0; step < 7; step += 1) {
          await page.keyboard.press('Tab');
          reached.push(await page.locator(':focus').textContent());
        }
        expect(reached).toEqual([
          'Grantbook',
          'Your account',
          'Sign out',
          '',
          'Allow',
          'Do not allow',
          'Not you?',
        ]);
      });
    });

    test('a broken link is explained, and a wrong password too', async () => {
      await visit({}, async (page) => {
        await page.goto(start({ redirect_uri: 'https://evil.example' }));
        expect(await page.textContent('h1')).toBe('This link does not work');
        await page.goto(start());
        await page.getByLabel('E-mail address').fill(scene.email);
        await page.getByLabel('Password').fill('wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').waitFor();
        expect(await page.getByLabel('E-mail address').inputValue()).toBe(scene.email);
      });
    });
  },
);

/** The address of a server is known only once it listens. */
const lateAddress = (address: () => string) => ({
  secureCookies: false,
  get baseUrl() {
    return address();
  },
  get issuer() {
    return address();
  },
});

const picture = async (page: Page, name: string): Promise<void> => {
  if (!pictures) return;
  const size = page.viewportSize()?.width === 360 ? null : { width: 720, height: 640 };
  if (size) await page.setViewportSize(size);
  await page.screenshot({ path: join(packageRoot, `docs/screenshots/${name}.png`) });
};
