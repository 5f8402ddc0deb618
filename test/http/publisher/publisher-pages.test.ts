import { afterAll, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, publish, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { formsOf, testBrowser } from '../../support/scenes/pages.ts';
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

test('AP-10, PG-03: a member finds the own add-ons, and nobody else any', async () => {
  expect((await bea.get('/account')).body).toContain('href="/publisher"');
  const list = await bea.get('/publisher');
  expect(list.body).toContain(`href="${here}"`);
  expect(list.body).not.toContain(other.clientId);
  expect(list.body).toContain('Doors &amp; Gates');
  expect(list.body.replace(/href="[^"]*"/g, '')).not.toContain(scene.clientId); // PG-03
  expect((await bea.get(`/publisher/addons/${other.clientId}`)).statusCode).toBe(404);
  const stranger = await signedIn(http, other);
  expect((await stranger.get('/publisher')).statusCode).toBe(403);
  expect((await stranger.get(here)).statusCode).toBe(403);
  expect((await testBrowser(http.app).get('/publisher')).headers.location).toContain('/sign-in?');
});

test('PG-12: a list that was refused leads back to the whole one', async () => {
  const refused = await bea.get('/publisher?=mkt_at_AAAA');
  expect(refused.statusCode).toBe(400);
  const main = refused.body.slice(refused.body.indexOf('<main'));
  expect(main).toContain('<a href="/publisher">');
  expect(main).not.toContain('mkt_at_AAAA');
});

test('AP-10: secrets and changes are made on the page, and a wrong change is told', async () => {
  const made = await bea.press(await bea.get(here), 'Create a secret');
  expect(made.body).toMatch(/mkt_cs_[\w-]{43}/);
  expect(made.headers['cache-control']).toContain('no-store');
  const two = await bea.get(here);
  const [, remove = ''] = new RegExp(`href="(${here}/remove-secret\\?secret=\\w+)"`).exec(two.body) ?? [];
  const question = await bea.get(remove);
  expect(question.body).toMatch(/is refused within 5 seconds[^]*<button type="submit" class="danger sure">/);
  const left = await bea.follow(await bea.press(question, 'Remove the secret'));
  expect(left.body).toContain('Done: remove a client secret');
  expect(left.body).not.toContain('Remove the secret');
  expect((await bea.get(remove)).headers.location).toBe(here);
  expect((await bea.get(`${here}/propose-change?field=website`)).body).not.toContain('name="support_url"');
  const form = `${here}/propose-change`;
  const proposed = await bea.follow(
    await bea.press(await bea.get(form), 'Propose a change', {
      add_redirect_uri: 'https://addon.example/a\r\nhttps://addon.example/b',
      website: 'https://doors.example/',
    }),
  );
  expect(proposed.body).toContain(
    'Add redirect URIs: https://addon.example/a https://addon.example/b; Website',
  );
  const again = await bea.press(await bea.get(form), 'Propose a change', {
    website: 'http://doors.example/',
  });
  expect([again.statusCode, again.body]).toMatchObject([
    409,
    expect.stringContaining('must be an https address'),
  ]);
  expect(again.body).toMatch(/value="http:\/\/doors\.example\/"[^>]*aria-invalid="true"/);
  const withdrawn = await bea.follow(await bea.press(proposed, 'Withdraw'));
  expect(withdrawn.body).toContain('withdrawn');
  expect(withdrawn.body).not.toContain('>Withdraw<');
  const forged = await bea.post(`${here}/add-secret`, { csrf: 'x' });
  expect(forged.statusCode).toBe(403);
});

test('PG-05: what is removed is chosen among what there is', async () => {
  const there = ['https://addon.example/cb?x=1', 'https://addon.example/a&b', 'https://addon.example/c'];
  const { clientId: addonId } = scene;
  expect((await http.commands.updateAddon({ addonId, addRedirectUris: there.slice(1) })).ok).toBe(true);
  const page = await bea.get(`${here}/propose-change?field=redirect_uris`);
  const boxes = [...page.body.matchAll(/<input type="checkbox" name="remove_redirect_uri" value="([^"]*)"/g)];
  expect(boxes.map(([, value]) => value?.replace('&amp;', '&'))).toEqual(there);
  expect(page.body).not.toContain(' checked');
  const all = (await bea.get(`${here}/propose-change`)).body;
  expect(all).toContain('name="add_post_logout_redirect_uri"');
  expect(all).not.toContain('name="remove_post_logout_redirect_uri"');
  const form = formsOf(page.body).find(({ action }) => action === `${here}/propose-change`);
  const send = async (...more: readonly (readonly [string, string])[]) => {
    const { csrf = '', revision = '', field = '' } = form?.fields ?? {};
    const fields = new URLSearchParams({ csrf, revision, field });
    for (const [name, value] of more) fields.append(name, value);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const cookies = Object.fromEntries(bea.cookies);
    const url = form?.action ?? '';
    return http.app.inject({ method: 'POST', url, headers, cookies, payload: fields.toString() });
  };
  const chosen = there.slice(1).map((uri) => ['remove_redirect_uri', uri] as const);
  const wrong = await send(...chosen, ['add_redirect_uri', 'https://addon.example/c#d']);
  expect(wrong.statusCode).toBe(409);
  expect([...wrong.body.matchAll(/value="([^"]*)" id="[^"]*" checked/g)].map(([, value]) => value)).toEqual([
    'https://addon.example/a&amp;b',
    'https://addon.example/c',
  ]);
  expect(wrong.body).not.toContain('name="website"');
  expect((await send(...chosen)).statusCode).toBe(303);
  expect((await bea.get(here)).body).toContain(
    'Remove redirect URIs: https://addon.example/a&amp;b https://addon.example/c',
  );
  const twice = ['add_redirect_uri', 'https://addon.example/d'] as const;
  expect((await send(twice, twice)).statusCode).toBe(400);
});

test('AP-10: signals are tested and offered again on the page', async () => {
  await createPollStream(http, scene.clientId);
  const page = await bea.get(here);
  expect((await bea.press(page, 'Send a verification event')).statusCode).toBe(303);
  expect((await bea.press(await bea.get(here), 'Send a verification event')).statusCode).toBe(409);
  const offered = await bea.press(await bea.get(`${here}/replay-signals`), 'Offer signals again', {
    after: '1/1',
  });
  expect(offered.statusCode).toBe(303);
  const wrong = await bea.press(await bea.get(`${here}/replay-signals`), 'Offer signals again', {
    after: 'x',
  });
  expect(wrong.body).toContain('a position in the log');
});

test('AP-10: pages of publishers have nothing of other people', async () => {
  const { rows } = await http.pool.query<{ id: string; email: string }>(
    'select user_id as id, email from accounts where user_id <> $1',
    [member],
  );
  const [{ id: stranger } = { id: '' }] = rows;
  const form = formsOf((await bea.get(`${here}/propose-change`)).body).find(
    ({ fields }) => fields['revision'],
  );
  const wrong = { ...form?.fields, website: 'http://doors.example/', to: stranger };
  const pages = [
    await bea.get('/publisher'),
    await bea.get(here),
    await bea.get(`${here}?done=propose-change&to=${stranger}`),
    await bea.post(`${here}/propose-change`, wrong),
  ];
  expect(pages.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 409]);
  for (const { id, email } of rows)
    expect(
      pages.map(({ body }) => body.includes(email) || body.replaceAll(`to=${id}`, '').includes(id)),
    ).toEqual(pages.map(() => false));
});
