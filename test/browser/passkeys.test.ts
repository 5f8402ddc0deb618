import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { startHttpApp, type OwnHttpApp } from '../support/scenes/http-app.ts';
import { createUser, password } from '../support/scenes/http-scene.ts';
import { lateAddress } from '../support/servers/listening-app.ts';
import { violations } from './violations.ts';

const email = 'ada@passkeys.example';

describe.skipIf(!hasChromium)('passkeys in Chromium (needs /usr/bin/chromium)', () => {
  let http: OwnHttpApp;
  let chrome: Browser;
  let baseUrl = 'http://localhost';

  beforeAll(async () => {
    http = await startHttpApp({
      around: (needs) => ({ ...needs, config: lateAddress(needs.config, () => baseUrl) }),
    });
    baseUrl = (await http.app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost');
    await createUser(http, email);
    chrome = await launchChromium();
  }, 60_000);
  afterAll(async () => {
    await chrome?.close();
    await http?.close();
  });

  /** A phone or a laptop that verifies its user. */
  const addAuthenticator = async (
    page: Page,
  ): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { cdp, authenticatorId };
  };
  const enterPassword = async (page: Page): Promise<void> => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const signOut = async (page: Page): Promise<void> => {
    await page.goto(`${baseUrl}/sign-out`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${baseUrl}/sign-out`);
  };

  test('AM-03: a user adds one, signs in with it, renames it and removes it, under the pages’ own policies', async () => {
    const page = await (await chrome.newContext()).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(String(error)));
    const { cdp, authenticatorId } = await addAuthenticator(page);
    await page.goto(`${baseUrl}/account`);
    await enterPassword(page);
    await page.getByRole('link', { name: 'Add passkey' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('Added: you can sign in with the passkey now.').waitFor();
    expect(await page.getByRole('region', { name: 'Passkeys' }).textContent()).toContain('Laptop');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);

    await page.goto(`${baseUrl}/account/passkeys/new`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();

    await signOut(page);
    await page.goto(`${baseUrl}/account`);
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    expect(await violations(page)).toEqual([]);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const trouble = page.getByText('The browser gave no passkey. Try again.');
    await trouble.waitFor();
    expect(await trouble.evaluate((line) => line === document.activeElement)).toBe(true);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${baseUrl}/account`);

    await page.getByRole('link', { name: 'Rename the passkey Laptop' }).click();
    await page.getByLabel('Name').fill('Old laptop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('link', { name: 'Remove the passkey Old laptop' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed: the passkey no longer signs you in.').waitFor();

    await signOut(page);
    expect(complaints).toEqual([]);
    await page.goto(`${baseUrl}/sign-in/passkey`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey does not sign you in here.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Use a password' }).click();
    await enterPassword(page);
    await page.waitForURL(`${baseUrl}/admin`);
  }, 60_000);

  test('AM-03: without scripts the page says so, and the password works', async () => {
    const page = await (await chrome.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(`${baseUrl}/account`);
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    expect(await page.getByText('This page needs JavaScript').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Use a password' }).click();
    await enterPassword(page);
    await page.waitForURL(`${baseUrl}/account`);
  });
});
