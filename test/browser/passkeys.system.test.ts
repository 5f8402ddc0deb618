import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../support/memory/memory-store.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { createUser } from '../support/scenes/http-scene.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import { enterPassword, inChromium, newPage } from './in-chromium.ts';
import { violations } from './violations.ts';

const email = 'ada@passkeys.example';

describe.skipIf(!hasChromium)('passkeys in Chromium (needs /usr/bin/chromium)', () => {
  const here = inChromium(async () => {
    const http = await startListeningApp({ store: memoryStore() }, 'localhost');
    await createUser(http, email);
    return http;
  });
  const url = (path: string) => here.scene.baseUrl + path;

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
  const signOut = async (page: Page): Promise<void> => {
    await page.goto(url('/sign-out'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(url('/sign-out'));
  };

  test('AM-03: a user adds one, signs in with it, renames it and removes it, under the pages’ own policies', async () => {
    const { page, complaints } = await newPage(here.chrome);
    const { cdp, authenticatorId } = await addAuthenticator(page);
    await page.goto(url('/account'));
    await enterPassword(page, email);
    await page.getByRole('link', { name: 'Add passkey' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('Added: you can sign in with the passkey now.').waitFor();
    expect(await page.getByRole('region', { name: 'Passkeys' }).textContent()).toContain('Laptop');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);

    await page.goto(url('/account/passkeys/new'));
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();

    await signOut(page);
    await page.goto(url('/account'));
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    expect(await violations(page)).toEqual([]);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const trouble = page.getByText('The browser gave no passkey. Try again.');
    await trouble.waitFor();
    expect(await trouble.evaluate((line) => line === document.activeElement)).toBe(true);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(url('/account'));

    await page.locator('summary[aria-label="Actions for Laptop"]').click();
    await page.getByRole('link', { name: 'Rename the passkey Laptop' }).click();
    await page.getByLabel('Name').fill('Old laptop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.locator('summary[aria-label="Actions for Old laptop"]').click();
    await page.getByRole('link', { name: 'Remove the passkey Old laptop' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed: the passkey no longer signs you in.').waitFor();

    await signOut(page);
    expect(complaints).toEqual([]);
    await page.goto(url('/sign-in/passkey'));
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey does not sign you in here.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Use a password' }).click();
    await enterPassword(page, email);
    await page.waitForURL(url('/account'));
  });

  test('AM-03: without scripts the page says so, and the password works', async () => {
    const { page } = await newPage(here.chrome, { javaScriptEnabled: false });
    await page.goto(url('/account'));
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    expect(await page.getByText('This page needs JavaScript').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Use a password' }).click();
    await enterPassword(page, email);
    await page.waitForURL(url('/account'));
  });
});
