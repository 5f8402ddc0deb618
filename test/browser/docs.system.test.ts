import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { describedOperations } from '../support/documents/described-operations.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import { inChromium } from './in-chromium.ts';
import { smallPng } from './small-png.ts';
import { cookieName } from '../../src/http/session/cookies.ts';

const desktop = { width: 1280, height: 900 };

describe.skipIf(!hasChromium)('the documentation in Chromium (needs /usr/bin/chromium)', () => {
  const here = inChromium(() => startListeningApp({ store: memoryStore() }));

  // Swagger UI is not ours: its accessibility is not checked here. Without scripts there is a link to the document.
  const read = async (
    path: string,
    work: (page: Page, requests: readonly Request[]) => Promise<void>,
    expected: readonly unknown[] = [],
  ) => {
    const { baseUrl } = here.scene;
    const context = await here.chrome.newContext({ viewport: desktop });
    const name = cookieName({ baseUrl, secureCookies: false }, 'session');
    await context.addCookies([{ name, value: 'secret', url: baseUrl }]);
    const complaints: string[] = [];
    const requests: Request[] = [];
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => requests.push(request));
    await page.goto(baseUrl + path);
    await work(page, requests);
    expect(complaints).toEqual(expected);
    await context.close();
  };

  test('shows every operation and the introduction, and calls only this server', async () => {
    await read('/docs', async (page, requests) => {
      await page.locator('.opblock').first().waitFor();
      const described = await describedOperations(here.scene.app);
      await picture(page, 'docs');
      // Swagger UI draws only what is in sight.
      const seen = new Set<string>();
      await page.mouse.move(desktop.width / 2, desktop.height / 2);
      const drawn = async () => {
        const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
        for (const id of ids) seen.add(id);
        await page.mouse.wheel(0, desktop.height / 2);
        return seen.size;
      };
      await expect.poll(drawn, { interval: 100 }).toBe(described.length);
      expect([...new Set(requests.map((request) => new URL(request.url()).origin))]).toEqual([
        here.scene.baseUrl,
      ]);
    });
  });

  test('PG-23: has the theme that the reader prefers, also when that changes', async () => {
    await read('/docs', async (page) => {
      await page.locator('.opblock').first().waitFor();
      const colorOf = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).color);
      const light = await colorOf('.opblock-summary-description');
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => colorOf('.opblock-summary-description')).not.toBe(light);
    });
  });

  test('has an origin of its own, without the cookies of this server, and reads none of its pages', async () => {
    const readsNothing = async (page: Page, requests: readonly Request[]) => {
      await page.locator('.opblock').first().waitFor();
      expect(await page.evaluate(() => window.origin)).toBe('null');
      expect(await page.evaluate(() => document.cookie).catch(String)).toMatch(/SecurityError/);
      expect(await page.evaluate(() => fetch('/account').then(String, String))).toMatch(/TypeError/);
      const fetched = requests.find((request) => request.url().endsWith('/openapi.json'));
      expect(await fetched?.headerValue('origin')).toBe('null');
      expect(await fetched?.headerValue('cookie')).toBeNull();
    };
    await read('/docs', readsNothing, [
      expect.stringContaining("from origin 'null' has been blocked by CORS policy"),
      expect.stringContaining('Failed to load resource'),
    ]);
  });

  test('a problem’s page leads to the operation, which is tried from there', async () => {
    const tries = async (page: Page) => {
      await page.getByRole('link', { name: 'Read profiles' }).click();
      await page.waitForURL(`${here.scene.baseUrl}/docs#/Lists/list-profiles`);
      const operation = page.locator('#operations-Lists-list-profiles');
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table', { hasText: 'token-missing' }).waitFor();
    };
    await read('/problems/token-expired', tries, [expect.stringContaining('status of 401')]);
  });
});

/** `SCREENSHOTS=1` takes the picture of docs/screenshots anew. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env['SCREENSHOTS'] === '1')
    writeFileSync(join(packageRoot, `docs/screenshots/${name}.png`), smallPng(await page.screenshot()));
};
