import { afterAll, expect, test } from 'vitest';
import { zoneCookie } from '../../../src/http/pages/page-script.ts';
import { account } from '../../../src/http/account/plugin.ts';
import { setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';

const http = await startPlugins([account]);
afterAll(() => http.close());

test.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['asia/tokyo', 'UTC'],
  ['Mars/Olympus', 'UTC'],
  ['<script>', 'UTC'],
  ['+09:00', 'UTC'],
  ['x'.repeat(4_000), 'UTC'],
  ['', 'UTC'],
])(
  'FX-96: all times of a page are in the time zone of the browser’s cookie if Intl has it: %s',
  async (zone, shown) => {
    const { email } = await setScene(http);
    const browser = await signedIn(http, { email });
    browser.cookies.set(zoneCookie, zone);
    expect((await browser.get('/account')).body).toContain(`Times are in the time zone ${shown}.`);
  },
);

test('PG-11: a user chooses the language and the time zone of the pages; what is not offered is refused by its field', async () => {
  const { email } = await setScene(http);
  const browser = await signedIn(http, { email });
  const choose = async (fields: Record<string, string>, button = 'Save') =>
    browser.press(await browser.get('/account/language'), button, fields);
  expect((await browser.get('/account')).body).toContain('<html lang="en">');
  const unknown = await choose({ language: 'tlh', time_zone: 'UTC' });
  expect([unknown.statusCode, /id="language"[^>]*aria-invalid/.test(unknown.body)]).toEqual([400, true]);
  const nowhere = await choose({ language: 'de', time_zone: 'Mars/Olympus' });
  expect([nowhere.statusCode, /id="time_zone"[^>]*aria-invalid/.test(nowhere.body)]).toEqual([400, true]);
  expect((await choose({ language: 'de', time_zone: 'Europe/Berlin' })).statusCode).toBe(303);
  const german = (await browser.get('/account')).body;
  expect(german).toContain('<html lang="de">');
  expect(german).toMatch(/um \d\d:\d\d<\/time>/);
  expect(german).toContain('in der Zeitzone Europe/Berlin.');
  expect(german).not.toContain('<script');
  expect((await choose({ language: '', time_zone: 'UTC' }, 'Speichern')).statusCode).toBe(303);
  const english = (await browser.get('/account')).body;
  expect(english).toContain('<html lang="en">');
  expect(english).toContain('in the time zone UTC.');
  expect(english).not.toContain('<script');
  expect((await choose({ language: '', time_zone: 'browser' })).statusCode).toBe(303);
  expect((await browser.get('/account')).body).toContain('<script');
  const missing = await choose({ language: '', time_zone: '' });
  expect([missing.statusCode, /id="time_zone"[^>]*aria-invalid/.test(missing.body)]).toEqual([400, true]);
});
