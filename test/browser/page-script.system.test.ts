import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { pageScript } from '../../src/http/pages/page-script.ts';
import { chooseLanguage } from '../../src/http/words/languages.ts';
import { makeReader } from '../../src/http/words/reader.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { createUser, password } from '../support/scenes/http-scene.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import { enterPassword, inChromium, newPage } from './in-chromium.ts';
import { violations } from './violations.ts';

const email = 'ada@script.example';

test('PG-11: the script of the pages has less than 1 kB', () => {
  expect(Buffer.byteLength(pageScript)).toBeLessThan(1_000);
});

describe.skipIf(!hasChromium)('the script of the pages, in Chromium (needs /usr/bin/chromium)', () => {
  const here = inChromium(async () => {
    const http = await startListeningApp({ store: memoryStore() });
    await createUser(http, email);
    return http;
  });
  const url = (path: string) => here.scene.baseUrl + path;
  const signIn = async (page: Page) => {
    await page.goto(url('/sign-in?return_to=/account'));
    await enterPassword(page, email);
    await page.waitForURL(url('/account'));
  };
  const timesOn = (page: Page) =>
    page.locator('time').evaluateAll((all) =>
      all.map((one) => ({
        text: one.textContent ?? '',
        title: one.getAttribute('title'),
        at: one.getAttribute('datetime'),
      })),
    );

  test('PG-07: a box shows what is typed as a password, and sends nothing', async () => {
    const { page, complaints } = await newPage(here.chrome);
    await page.goto(url('/sign-in?return_to=/account'));
    const box = page.getByRole('checkbox', { name: 'Show password' });
    const field = page.locator('#password');
    await field.fill('hidden');
    expect(await field.getAttribute('type')).toBe('password');
    await box.check();
    expect([await field.getAttribute('type'), await field.inputValue()]).toEqual(['text', 'hidden']);
    expect(await violations(page)).toEqual([]);
    await box.uncheck();
    expect(await field.getAttribute('type')).toBe('password');
    await box.check();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await signIn(page);
    expect([...new URLSearchParams((await sent).postData() ?? '').keys()]).toEqual([
      'interaction',
      'email',
      'password',
    ]);
    await page.goto(url('/account/password'));
    expect(await page.getByRole('checkbox', { name: 'Show password' }).count()).toBe(3);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('FX-96: an account without a time zone sees all times in the browser’s, which the page names once', async () => {
    const { page, complaints } = await newPage(here.chrome, { timezoneId: 'Asia/Tokyo', locale: 'de-AT' });
    await page.goto(url('/sign-in?return_to=/account'));
    expect(await page.getByRole('checkbox', { name: 'Passwort anzeigen' }).count()).toBe(1);
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.waitForURL(url('/account'));
    const zoneOf = async () =>
      /in der Zeitzone (\S+)\./.exec((await page.locator('main').textContent()) ?? '')?.[1];
    expect(await zoneOf()).toBe('Asia/Tokyo');
    const inTokyo = makeReader(chooseLanguage({ account: 'de' }), 'Asia/Tokyo');
    const [first] = await timesOn(page);
    expect(first?.title).toBe(first?.at);
    expect(first?.text).toContain(inTokyo.clockOf(first?.at ?? ''));
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);

    await page.goto(url('/account/language'));
    await page.locator('#time_zone').selectOption('UTC');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.waitForURL(url('/account'));
    expect(await zoneOf()).toBe('UTC');
    expect(await page.locator('script').count()).toBe(0);
    await page.goto(url('/account/language'));
    await page.locator('#time_zone').selectOption('browser');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.waitForURL(url('/account'));
    expect(await zoneOf()).toBe('Asia/Tokyo');
  });

  test('AZ-08: without scripts the same pages work, with times in UTC', async () => {
    const { page } = await newPage(here.chrome, { javaScriptEnabled: false, timezoneId: 'Asia/Tokyo' });
    await page.goto(url('/sign-in?return_to=/account'));
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await signIn(page);
    expect(await page.locator('main').textContent()).toContain('Times are in the time zone UTC.');
  });
});
