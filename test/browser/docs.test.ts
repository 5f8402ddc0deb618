import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docs } from '../../src/http/docs/plugin.ts';
import { stylesheets } from '../../src/http/pages/register-stylesheet.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { startPlugins, type PluginApp } from '../support/scenes/plugin-app.ts';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { lateAddress } from '../support/servers/listening-app.ts';
import { smallPng } from './small-png.ts';
import { violations } from './violations.ts';
import { isExhaustive } from '../support/slow.ts';

const desktop = { width: 1280, height: 900 };
const phone = { width: 320, height: 640 };
const looks = [
  { colorScheme: 'light', viewport: desktop },
  { colorScheme: 'dark', viewport: phone },
] as const;

describe.skipIf(!hasChromium)('the documentation in Chromium (needs /usr/bin/chromium)', () => {
  let http: PluginApp;
  let chrome: Browser;
  let baseUrl = 'http://127.0.0.1';
  beforeAll(async () => {
    const config = { baseUrl, issuer: baseUrl, secureCookies: false };
    http = await startPlugins([docs, stylesheets], { config: lateAddress(config, () => baseUrl) });
    baseUrl = await http.app.listen({ port: 0, host: '127.0.0.1' });
    chrome = await launchChromium();
  });
  afterAll(async () => {
    await chrome?.close();
    await http?.close();
  });

  const read = async (
    path: string,
    options: BrowserContextOptions,
    work: (page: Page) => Promise<void>,
  ): Promise<void> => {
    const context = await chrome.newContext(options);
    const complaints: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(baseUrl + path);
    await work(page);
    expect(complaints).toEqual([]);
    await context.close();
  };

  test.each(isExhaustive ? looks : looks.slice(1))(
    'is for everybody: $colorScheme, $viewport.width wide',
    async (options) => {
      await read('/docs', { ...options, bypassCSP: true }, async (page) => {
        const [shown, window] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        expect(shown).toBe(window);
        if (!isExhaustive) await leaveTwoOfEach(page);
        expect(await violations(page)).toEqual([]);
      });
    },
  );

  test('without scripts: from the contents to an operation, its answers open by keyboard, and on to a problem', async () => {
    await read('/docs', { javaScriptEnabled: false, viewport: desktop }, async (page) => {
      await page
        .getByRole('navigation', { name: 'Contents' })
        .getByRole('link', { name: 'Read profiles' })
        .click();
      expect(page.url()).toBe(`${baseUrl}/docs#list-profiles`);
      const operation = page.getByRole('region', { name: 'Read profiles' });
      await operation.locator('pre').first().waitFor();
      expect(await operation.locator('pre').first().textContent()).toBe(
        `curl "${baseUrl}/profiles" \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`,
      );
      await picture(page, 'docs');
      const unauthorized = operation.locator('details', { hasText: 'token-expired' });
      expect(await unauthorized.getByRole('link', { name: 'token-expired' }).isVisible()).toBe(false);
      await unauthorized.locator('summary').press('Enter');
      await unauthorized.getByRole('link', { name: 'token-expired' }).click();
      await page.getByRole('heading', { name: 'The access token has expired' }).waitFor();
      await page.getByRole('link', { name: 'Read profiles' }).click();
      await page.waitForURL(`${baseUrl}/docs#list-profiles`);
    });
  });
});

/** One template makes all of a section's operations: where there is no time for every one, two of each are looked at. */
const leaveTwoOfEach = async (page: Page): Promise<void> => {
  const left = await page.evaluate(() => {
    for (const further of document.querySelectorAll('.operation ~ .operation ~ .operation')) further.remove();
    return document.querySelectorAll('.operation').length;
  });
  expect(left).toBeGreaterThan(8);
};

/** `SCREENSHOTS=1` takes the picture of docs/screenshots anew. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env['SCREENSHOTS'] === '1')
    writeFileSync(join(packageRoot, `docs/screenshots/${name}.png`), smallPng(await page.screenshot()));
};
