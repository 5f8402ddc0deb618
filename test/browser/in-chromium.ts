import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../support/scenes/chromium.ts';
import { password } from '../support/scenes/http-scene.ts';

/** Chromium, and what it is pointed at, for the tests of a `describe`. */
export const inChromium = <T extends { close(): Promise<void> }>(start: (chrome: Browser) => Promise<T>) => {
  const here = {} as { chrome: Browser; scene: T };
  beforeAll(async () => {
    here.chrome = await launchChromium();
    here.scene = await start(here.chrome);
  });
  afterAll(async () => {
    await here.scene?.close();
    await here.chrome?.close();
  });
  return here;
};

/** A page of a browser that was never here, and what its console complains about. */
export const newPage = async (chrome: Browser, options: BrowserContextOptions = {}) => {
  const page = await (await chrome.newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(String(error)));
  return { page, complaints };
};

export const enterPassword = async (page: Page, email: string, entered = password): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(entered);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
