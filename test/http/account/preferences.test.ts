import { afterAll, expect, test } from 'vitest';
import { account } from '../../../src/http/account/plugin.ts';
import { setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';

const http = await startPlugins([account]);
afterAll(() => http.close());

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
  expect(german).toMatch(/um \d\d:\d\d (?:MESZ|MEZ)<\/time>/);
  expect(german).not.toContain('data-times');
  expect((await choose({ language: '', time_zone: 'UTC' }, 'Speichern')).statusCode).toBe(303);
  const english = (await browser.get('/account')).body;
  expect(english).toContain('<html lang="en">');
  expect(english).not.toContain('data-times');
  expect((await choose({ language: '', time_zone: 'browser' })).statusCode).toBe(303);
  expect((await browser.get('/account')).body).toContain('<body data-times="en-GB">');
  const missing = await choose({ language: '', time_zone: '' });
  expect([missing.statusCode, /id="time_zone"[^>]*aria-invalid/.test(missing.body)]).toEqual([400, true]);
});
