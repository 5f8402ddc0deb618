import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeValueSigner } from '../../src/http/session/value-signer.ts';
import { startHttpApp, type HttpApp } from '../support/http-app.ts';
import { authorizeUrl, createUser, password, setScene } from '../support/http-scene.ts';
import { formsOf, testBrowser } from '../support/pages.ts';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp();
});
afterAll(() => http.close());

test('AZ-40: an approval that is sent to two instances at once is one code, and never another one', async () => {
  const scene = await setScene(http);
  await createUser(http, 'twice@harbour.example');
  const browser = testBrowser(http.app);
  await browser.signIn('twice@harbour.example', password);
  const page = await browser.get(authorizeUrl(scene));
  const form = formsOf(page.body).find(({ action }) => action.endsWith('/decision'));
  const subject = form?.fields['subject'] ?? '';
  const cookies = Object.fromEntries(browser.cookies);
  const send = (app: FastifyInstance) =>
    app.inject({
      method: 'POST',
      url: form?.action ?? '',
      cookies,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ ...form?.fields, subject, decision: 'approve' }).toString(),
    });
  const [here, there] = [http.app, http.another()];
  const answers = [...(await Promise.all([send(here), send(there)])), await send(here), await send(there)];
  const locations = answers.map(({ headers }) => String(headers.location));
  expect(locations[0]).toContain('code=mkt_code_');
  expect(new Set(locations).size).toBe(1);
});

test('AZ-40: while instances change their keys one after the other, each takes what the others have signed', () => {
  const [older, newer, strange] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const before = makeValueSigner([older, newer]);
  const after = makeValueSigner([newer, older]);
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    expect(other.verify(one.sign({ id: 'any' }))).toEqual({ id: 'any' });
    expect(other.isProofOf('session', one.proofOf('session'))).toBe(true);
  }
  expect(makeValueSigner([strange]).verify(before.sign({ id: 'any' }))).toBeNull();
  expect(before.isProofOf('session', makeValueSigner([strange]).proofOf('session'))).toBe(false);
});
