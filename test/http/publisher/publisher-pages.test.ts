import { afterAll, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, publish, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { createPollStream } from '../../support/scenes/told-addons.ts';

const http = await startHttpApp();
afterAll(() => http.close());
const scene = await setScene(http, { confidential: true });
const other = await setScene(http);
const email = 'bea@doors.example';
const member = await createUser(http, email);
await publish(http, scene.clientId, member, 'Doors & Gates');
await http.settle();
const bea = await signedIn(http, { email });

const here = `/publisher/addons/${scene.clientId}`;

test('AP-10: a member finds the own add-ons, and nobody else any', async () => {
  expect((await bea.get('/account')).body).toContain('href="/publisher"');
  const list = await bea.get('/publisher');
  expect(list.body).toContain(`href="${here}"`);
  expect(list.body).not.toContain(other.clientId);
  expect(list.body).toContain('Doors &amp; Gates');
  expect((await bea.get(`/publisher/addons/${other.clientId}`)).statusCode).toBe(404);
  const stranger = await signedIn(http, other);
  expect((await stranger.get('/publisher')).statusCode).toBe(403);
  expect((await stranger.get(here)).statusCode).toBe(404);
  expect((await testBrowser(http.app).get('/publisher')).headers.location).toContain('/sign-in?');
});

test('AP-10: secrets and changes are made on the page, and a wrong change is told', async () => {
  const made = await bea.press(await bea.get(here), 'Add a secret');
  expect(made.body).toMatch(/mkt_cs_[\w-]{43}/);
  expect(made.headers['cache-control']).toContain('no-store');
  const two = await bea.get(here);
  const left = await bea.follow(await bea.press(two, 'Remove this secret'));
  expect(left.body).not.toContain('Remove this secret');
  const proposed = await bea.follow(
    await bea.press(left, 'Propose the change', {
      add_redirect_uri: 'https://addon.example/a\r\nhttps://addon.example/b',
      website: 'https://doors.example/',
    }),
  );
  expect(proposed.body).toContain(
    'Add redirect URIs: https://addon.example/a https://addon.example/b; Website',
  );
  const again = await bea.press(proposed, 'Propose the change', { website: 'http://doors.example/' });
  expect([again.statusCode, again.body]).toMatchObject([
    409,
    expect.stringContaining('must be an https address'),
  ]);
  const withdrawn = await bea.follow(await bea.press(proposed, 'Withdraw'));
  expect(withdrawn.body).toContain('withdrawn');
  const forged = await bea.post(`${here}/secrets`, { csrf: 'x' });
  expect(forged.statusCode).toBe(403);
});

test('AP-10: signals are tested and offered again on the page', async () => {
  await createPollStream(http, scene.clientId);
  const page = await bea.get(here);
  expect((await bea.press(page, 'Send a verification event')).statusCode).toBe(303);
  expect((await bea.press(await bea.get(here), 'Send a verification event')).statusCode).toBe(409);
  const offered = await bea.press(await bea.get(here), 'Offer signals again', { after: '1/1' });
  expect(offered.statusCode).toBe(303);
  const wrong = await bea.press(await bea.get(here), 'Offer signals again', { after: 'x' });
  expect(wrong.body).toContain('a position in the log');
});

test('AP-10: pages of publishers have nothing of other people', async () => {
  const { rows } = await http.pool.query<{ id: string; email: string }>(
    'select user_id as id, email from accounts where user_id <> $1',
    [member],
  );
  for (const url of ['/publisher', here]) {
    const { body } = await bea.get(url);
    for (const { id, email } of rows)
      expect([body.includes(id), body.includes(email)]).toEqual([false, false]);
  }
});
