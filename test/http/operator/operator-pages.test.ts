import { afterAll, describe, expect, test } from 'vitest';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import { noteFailure } from '../../../src/signals/stream-table.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { formsOf, testBrowser } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
const scene = await setScene(http, { name: 'Gate Keeper' });
await activate(http, scene);
const email = 'olive@example.com';
const operator = await createUser(http, email, [], { name: 'Olive', roles: ['operator'] });
const olive = await signedIn(http, { email });
await http.settle();
afterAll(() => http.close());

const newGrant = async () => {
  const tokens = await obtainTokens(http, scene);
  await http.settle();
  const { body } = await olive.get(`/operator/grants?addon=${scene.clientId}&state=active`);
  const id = /\/operator\/grants\/([0-9A-Z]{26})/.exec(body)?.[1] ?? '';
  return { id, page: `/operator/grants/${id}`, accessToken: tokens.access_token };
};

const fieldsOf = (html: string, action: string) =>
  formsOf(html).find((form) => form.action === action)?.fields ?? {};

describe('the operators’ pages', () => {
  test('AM-12: a logo is chosen as a file, and a wrong field is named next to it', async () => {
    const page = `/operator/addons/${scene.clientId}`;
    const send = async (logo: Uint8Array<ArrayBuffer>, more: Readonly<Record<string, string>> = {}) => {
      const { body } = await olive.get(`${page}/update?field=has_logo`);
      expect(body).toContain('enctype="multipart/form-data"');
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...fieldsOf(body, `${page}/update`), ...more }))
        if (name !== 'logo' && name !== 'apply_to_grants') form.append(name, value);
      form.append('logo', new Blob([logo]), 'logo.png');
      const request = new Request('http://localhost/', { method: 'POST', body: form });
      return http.app.inject({
        method: 'POST',
        url: `${page}/update`,
        cookies: Object.fromEntries(olive.cookies),
        headers: { 'content-type': request.headers.get('content-type') ?? '' },
        payload: Buffer.from(await request.arrayBuffer()),
      });
    };
    const done = await send(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]));
    expect([done.statusCode, done.headers.location]).toEqual([303, `${page}?done=update`]);
    expect((await http.commands.currentAddon(scene.clientId))?.hasLogo).toBe(true);
    expect((await olive.get(page)).body).toMatch(
      /<dt>Logo<\/dt>\s*<dd><div class="value"><span><img src="data:image\/png;base64,iVBORw0KGgoA" alt=""/,
    );

    const nothing = await send(new Uint8Array(0));
    expect(nothing.headers.location).toBe(`${page}?unchanged=update`);
    expect((await olive.get(`${page}?unchanged=update`)).body).toContain('nothing changed');

    const wrong = await send(new Uint8Array(70_000), {
      publisher: 'Gates & Co',
      website: 'http://a.example/',
    });
    expect(wrong.statusCode).toBe(409);
    expect(wrong.body).toContain('value="Gates &amp; Co"');
    expect(wrong.body).toMatch(/id="update-logo-problem">It must be a PNG, JPEG or WebP file\.</);
    const website = await send(new Uint8Array(0), { website: 'http://a.example/' });
    expect(website.body).toMatch(/id="update-website-problem">It must be an https address\.</);
    const broken = await http.app.inject({
      method: 'POST',
      url: `${page}/update`,
      cookies: Object.fromEntries(olive.cookies),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      payload: '--y',
    });
    expect(broken.statusCode).toBe(400);
  });

  test('SG-12: a signal stream is created, paused and deleted, and what is deleted leads back to the list', async () => {
    const { clientId: addon } = await setScene(http, { name: 'Told', confidential: true });
    const list = await olive.get('/operator/signals/create');
    const create = { ...fieldsOf(list.body, '/operator/signals/create'), addon };
    const made = await olive.post('/operator/signals/create', create);
    const page = String(made.headers.location).replace(/\?.*/, '');
    const act = async (task: string, more: Readonly<Record<string, string>> = {}) => {
      const { body } = await olive.get(`${page}/${task}`);
      return olive.post(`${page}/${task}`, { ...fieldsOf(body, `${page}/${task}`), ...more });
    };
    expect((await olive.get(page)).body).toMatch(/<h1[^>]*>\s*(?:<bdi[^>]*>)?Told/);
    expect((await olive.get('/operator/signals')).body).toMatch(
      new RegExp(`href="${page}"[^>]*>(?:<bdi[^>]*>)?Told<`),
    );
    expect((await act('pause')).headers.location).toBe(`${page}?done=pause`);
    const deleted = await act('delete', { sure: 'yes' });
    expect(deleted.body).toContain('href="/operator/signals">Back to');
    expect((await olive.get(page)).statusCode).toBe(404);
    expect((await olive.get('/operator/signals')).statusCode).toBe(200);
  });

  test('the home says the status in one sentence, and leads to everything', async () => {
    const { body } = await olive.get('/operator');
    expect(body).toContain('Everything works: ');
    expect(body).toContain('href="/operator/grants"');
  });

  test('SG-12: the signal streams whose pushes fail are found among all', async () => {
    const make = async (name: string) => {
      const { clientId: addonId } = await setScene(http, { name });
      const { body } = await olive.get('/operator/signals/create');
      const form = fieldsOf(body, '/operator/signals/create');
      const endpoint = { endpoint_url: 'http://127.0.0.1:9/signals' };
      await olive.post('/operator/signals/create', { ...form, addon: addonId, ...endpoint });
      const stream = await http.commands.findSignalStream(addonId);
      return { streamId: stream?.streamId ?? '', revision: null };
    };
    const failing = await make('Silent Door');
    await make('Talking Door');
    const error = 'answered 503 instead of 202';
    await inPoolTransaction(http.pool, (tx) => noteFailure(tx, failing, error, Date.UTC(2026, 4, 1)));
    const found = async (state: string) => {
      const { body: page } = await olive.get(`/operator/signals?state=${state}`);
      const body = page.replaceAll(/<form[^]*?<\/form>/g, '');
      return ['Silent Door', 'Talking Door', error].filter((words) => body.includes(words));
    };
    expect(await found('failing')).toEqual(['Silent Door', error]);
    expect(await found('enabled')).toEqual(['Silent Door', 'Talking Door', error]);
    expect(await found('paused')).toEqual([]);
    const { body } = await olive.get(`/operator/signals/${failing.streamId}`);
    expect(body).toMatch(/Last error at<\/dt>\s*<dd><time datetime="2026-05-01T00:00:00\.000Z"/);
  });

  test('AM-13, AM-15: a grant is found, shown and revoked, with the operator and the reason in the log', async () => {
    const { id, page, accessToken } = await newGrant();
    expect((await olive.get(page)).body).toContain('profiles:read');
    const ask = `${page}/revoke`;
    const [shown, second] = [await olive.get(ask), await olive.get(ask)];
    expect(shown.statusCode).toBe(200);
    const form = fieldsOf(shown.body, `${page}/revoke`);
    const answer = await olive.post(`${page}/revoke`, { ...form, sure: 'on', reason: 'moved away' });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${page}?done=revoke`]);
    expect((await olive.get(`${page}?done=revoke`)).body).toContain('Done: revoke the grant.');
    const linked = await olive.get(`${page}?done=revoke`, { 'sec-fetch-site': 'cross-site' });
    expect(linked.body).not.toContain('Done:'); // a link of another site cannot say so
    expect((await listWith(http, '/profiles', accessToken)).statusCode).toBe(401);
    expect((await http.store.read(grantStream(id))).events.at(-1)).toMatchObject({
      event: { type: 'GrantRevoked' },
      metadata: { actor: operator, reason: 'moved away' },
    });
    const again = await olive.post(`${page}/revoke`, {
      ...fieldsOf(second.body, `${page}/revoke`),
      sure: 'on',
    });
    expect(again.statusCode).toBe(409);
    expect(again.body).toContain('it has changed since you saw it');
    expect(again.body).toContain(`(by ${operator})`);
  });

  test('nothing is done without the confirmation, or with a wrong field, which is named', async () => {
    const { page, accessToken } = await newGrant();
    const form = fieldsOf((await olive.get(`${page}/revoke`)).body, `${page}/revoke`);
    for (const [change, says] of [
      [{ sure: '' }, 'confirm that it cannot be undone'],
      [{ sure: 'on', reason: 'x'.repeat(501) }, 'a text of 1 to 500 characters'],
      [{ sure: 'on', unknown: 'x' }, 'unknown'],
    ] as const) {
      const answer = await olive.post(`${page}/revoke`, { ...form, ...change });
      expect([answer.statusCode, answer.body]).toEqual([409, expect.stringContaining(says)]);
    }
    for (const name of ['sure', 'revision', 'reason']) {
      const twice = new URLSearchParams({ ...form, sure: 'on', reason: 'moved' });
      twice.append(name, twice.get(name) ?? '');
      const answer = await http.app.inject({
        method: 'POST',
        url: `${page}/revoke`,
        cookies: Object.fromEntries(olive.cookies),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: twice.toString(),
      });
      expect([answer.statusCode, answer.body]).toEqual([409, expect.stringContaining(`&quot;${name}&quot;`)]);
    }
    expect((await olive.post(`${page}/revoke`, { ...form, csrf: 'x', sure: 'on' })).statusCode).toBe(403);
    expect((await listWith(http, '/profiles', accessToken)).statusCode).toBe(200);
  });

  test('a search that is not possible names the field and what is allowed', async () => {
    const { statusCode, body } = await olive.get('/operator/grants?state=gone');
    expect([statusCode, body]).toEqual([400, expect.stringContaining('active, revoked, expired')]);
  });

  test('PG-03, PG-04: a list has names that are links, counts, and pages back and forth; filters take names', async () => {
    for (let index = 0; index < 55; index += 1)
      valueOf(await http.commands.createOrganization({ name: `Quay ${String(index).padStart(2, '0')}` }));
    await http.settle();
    const first = await olive.get('/operator/organizations');
    expect(first.body).toMatch(/>1–50 of \d+</);
    expect(first.body).toMatch(
      /<div class="line"[^>]*><a href="\/operator\/organizations\/\w{26}"><bdi[^>]*>Quay 54</,
    );
    const to = (body: string, label: string) =>
      new RegExp(`href="([^"]*)">${label}<`).exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await olive.get(to(first.body, 'Next'));
    expect(second.body).toMatch(/>51–\d+ of/);
    expect(second.body).not.toContain('Quay 54');
    expect((await olive.get(to(second.body, 'Previous'))).body).toContain('Quay 54');
    expect((await olive.get(to(second.body, 'First'))).body).toContain('Quay 54');

    const byName = await olive.get('/operator/grants?addon=Gate%20Keeper');
    expect(byName.statusCode).toBe(200);
    expect(byName.body).toMatch(
      new RegExp(`<select id="addon"[^]*<option value="${scene.clientId}" selected>Gate Keeper<`),
    );
    const several = await olive.get('/operator/grants?organization=Quay');
    expect(several.statusCode).toBe(400);
    expect(several.body).toMatch(/<select id="organization"[^]*Quay 01/);
    expect(several.body).toContain('Choose one of those that match.');
  });

  test('PG-04: the heads of a list sort it, which stays so while it is searched and paged through', async () => {
    const linkIn = (body: string, label: string) =>
      new RegExp(`href="([^"]*)">${label}(?:<| <)`).exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const namesIn = (body: string) =>
      [...body.matchAll(/<div class="line"[^>]*><a [^>]*><bdi[^>]*>(Quay \d\d)</g)].map(([, name]) => name);
    for (let index = 0; index < 3; index += 1)
      valueOf(await http.commands.createOrganization({ name: `Quay 7${index}` }));
    await http.settle();
    const usual = await olive.get('/operator/organizations?search=quay');
    expect(usual.body).toMatch(/>1–50 of 58</);
    expect(usual.body).toMatch(/<th scope="col" class="from-l" aria-sort="descending"><a [^>]*>Created </);
    expect(usual.body).toMatch(/<th scope="col"><a href="[^"]*\?search=quay&amp;sort=name">Name</);
    const byName = await olive.get(linkIn(usual.body, 'Name'));
    expect(byName.body).toMatch(
      /aria-sort="ascending"><a [^>]*sort=-name">Name <span aria-hidden="true">↑<\/span><span class="hidden"> \(ascending\)</,
    );
    expect(byName.body).toContain('<input type="hidden" name="sort" value="name">');
    const down = await olive.get(linkIn(byName.body, 'Name'));
    expect(down.body).toMatch(/aria-sort="descending"><a [^>]*sort=name">Name <span aria-hidden="true">↓</);
    expect(namesIn(down.body).slice(0, 3)).toEqual(['Quay 72', 'Quay 71', 'Quay 70']);
    const second = await olive.get(linkIn(down.body, 'Next'));
    expect(second.body).toMatch(/>51–58 of 58</);
    expect(namesIn(second.body)).toEqual(namesIn(byName.body).slice(0, 8).reverse());
    expect(namesIn((await olive.get(linkIn(second.body, 'Previous'))).body)).toEqual(namesIn(down.body));
    expect(namesIn((await olive.get(linkIn(second.body, 'Created'))).body)[0]).toBe('Quay 72');
    expect((await olive.get('/operator/grants')).body).toMatch(
      /aria-sort="descending"><a href="[^"]*sort=issued_at">Issued /,
    );
  });

  test('PG-04: of more than 1,000 that match it is said that there are more', async () => {
    await http.pool.query(`
      insert into organizations (organization_id, name, created_at, words)
      select '01JD0000000000000000' || lpad(n::text, 6, '0'), 'Mooring ' || n, 1, array['mooring', n::text] from generate_series(1, 1001) as n`);
    const { body } = await olive.get('/operator/organizations?search=mooring');
    expect(body).toContain('>1–50 of more than 1,000<');
    await http.pool.query(`delete from organizations where name like 'Mooring %'`);
  });

  test('PG-12: an empty list says how the first is made, a search without a hit leads back, and a refused one claims nothing', async () => {
    const first = (await olive.get('/operator/publishers')).body;
    expect(first).toMatch(/There is none yet\.[^]*<a class="button" href="\/operator\/publishers\/create">/);
    const missed = (await olive.get('/operator/organizations?search=nowhere')).body;
    expect(missed).toMatch(
      /Nothing matches these filters\.[^]*href="\/operator\/organizations">Clear filters</,
    );
    const refused = await olive.get('/operator/organizations?sort=nowhere');
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('role="alert"')]);
    expect(refused.body).not.toMatch(/There is none|Nothing matches/);
  });

  test('PG-03: the role of a member names the publisher, and leads to it', async () => {
    const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Locks & Co' }));
    const userId = await createUser(http, 'lena@example.com', [], { name: 'Lena' });
    valueOf(await http.commands.addPublisherMember({ publisherId, userId }));
    await http.settle();
    expect((await olive.get(`/operator/users/${userId}`)).body).toContain(
      `<a href="/operator/publishers/${publisherId}"><bdi class="name">Locks &amp; Co</bdi></a>`,
    );
  });

  test('PG-05: a page has facts with "Change", each task a page of its own, and an end names what ends', async () => {
    const user = `/operator/users/${scene.userId}`;
    const { body } = await olive.get(user);
    expect(body).not.toContain('<form');
    expect(body).toContain(`href="${user}/rename">Change<`);
    expect(body).toContain(`<a class="wrong" href="${user}/disable">`);
    expect(body).not.toContain(`href="${user}/enable"`); // not possible now
    expect((await olive.get(`${user}/rename`)).body).toMatch(
      /name="name"[^>]*value="Ada Ahoi"|value="Ada Ahoi"[^>]*name="name"/,
    );
    await signedIn(http, scene);
    const ask = await olive.get(`${user}/disable`);
    expect(ask.body).toMatch(/This ends now: <strong>\d+ sessions?, /);
    expect(ask.body).toMatch(/<button type="submit" class="danger sure">Disable the account</);
    const uris = await olive.get(`/operator/addons/${scene.clientId}/update?field=redirect_uris`);
    expect(
      [...uris.body.matchAll(/<(?:textarea|input type="(?:checkbox|text)")[^>]* name="(\w+)"/g)].map(
        ([, name]) => name,
      ),
    ).toEqual(['add_redirect_uri', 'remove_redirect_uri', 'reason']);
  });

  test('PG-06: the home has a search over everything, numbers, and the latest grants', async () => {
    await newGrant();
    const { body } = await olive.get('/operator?search=gate');
    expect(body).toMatch(/<h2>Add-ons<\/h2>[^]*Gate Keeper/);
    for (const name of ['Organizations', 'Users', 'Add-ons', 'Grants', 'Publishers'])
      expect(body).toMatch(
        new RegExp(
          `>${name}</a>\\s*<div class="number">\\d+</div>\\s*<div class="soft small">\\+\\d+ this week, 0 the week before<`,
        ),
      );
    expect(body).toMatch(/>Signals<\/a>\s*<div class="number">\d+<\/div>\s*<\/li>/);
    expect(body).toMatch(/Latest grants[^]*Gate Keeper<\/bdi> for/);
    expect((await olive.get('/operator?search=nobody')).body).toContain('Nothing matches.');
    const domain = scene.email.replace(/.*@/, '');
    expect((await olive.get(`/operator?search=${domain}`)).body).toMatch(/<h2>Users<\/h2>[^]*Ada Ahoi/);
  });

  test('PG-11: in German, with what a task does, why it is refused, what is allowed, and what was done', async () => {
    const german = { headers: { 'accept-language': 'de' } };
    const hanna = testBrowser(http.app, german, olive.cookies);
    const own = `/operator/users/${operator}`;
    const send = async (page: string, fields: Readonly<Record<string, string>>) =>
      hanna.post(page, { ...fieldsOf((await hanna.get(page)).body, page), ...fields });
    const shown = await hanna.get(own);
    expect(shown.body).toMatch(
      /<html lang="de">[^]*<h2 id="summary">Angaben<[^]*<h2 id="roles">Rollen<[^]*<div class="line"[^>]*>Betreiber</,
    );
    expect(shown.body).toContain(`href="${own}/rename">Ändern<`);
    const refused = await send(`${own}/disable`, {});
    expect([refused.statusCode, refused.body]).toEqual([
      409,
      expect.stringContaining('Das ist das Konto, mit dem Sie gerade arbeiten.'),
    ]);
    expect(refused.body).toMatch(/Das endet jetzt: <strong>\d+ Sitzung(?:en)?, keine Freigabe<\/strong>\./);
    const wrong = await send(`${own}/rename`, { name: 'x'.repeat(101) });
    expect(wrong.body).toContain('Erlaubt: ein Text von 1 bis 100 Zeichen in einer Zeile');
    const taken = await send('/operator/users/invite', { email: scene.email, name: 'Ada' });
    expect(taken.body).toContain('Ein anderes Konto hat diese E-Mail-Adresse.');
    expect(taken.body).toMatch(/id="invite-email-problem">Gehört zu einem anderen Konto\.</);
    const invited = await send('/operator/users/invite', { email: 'new@example.com', name: 'New' });
    expect(invited.body).toMatch(
      /role="status">Eingeladen\. Der Link funktioniert einmal[^<]* selbst\.<[^]*<dt>Läuft ab</,
    );
    const [first, second] = [await hanna.get(`${own}/rename`), await hanna.get(`${own}/rename`)];
    const rename = (page: { readonly body: string }, name: string) =>
      hanna.post(`${own}/rename`, { ...fieldsOf(page.body, `${own}/rename`), name });
    expect((await rename(first, 'Olive Oak')).statusCode).toBe(303);
    const late = await rename(second, 'Olive Ash');
    expect(late.body).toMatch(
      /denn es hat sich geändert, seit Sie es gesehen haben\. Der Name von \w{26} wurde geändert\. \(von \w{26}\)/,
    );
    const done = await hanna.get(`${own}?done=rename`);
    expect(done.body).toContain('Erledigt: Name ändern.');
    const search = await hanna.get('/operator/grants?state=gone');
    expect(search.body).toContain('„state“: erlaubt ist eines von active, revoked, expired.');
    expect((await hanna.get('/operator')).body).toMatch(
      /(?:Alles funktioniert|Braucht Aufmerksamkeit): [^]*Neueste Freigaben/,
    );
    const ada = await signedIn(http, scene);
    expect((await ada.get(own, german.headers)).body).toContain('Diese Seite sehen nur Betreiber.');
  });

  test('the page of an organization leads to its add-ons, with their activation', async () => {
    const organization = `/operator/organizations/${scene.organizationId}`;
    expect((await olive.get(organization)).body).toMatch(
      new RegExp(`href="${organization}/addons">Add-ons \\(\\d+\\)<`),
    );
    expect((await olive.get(`${organization}/addons`)).body).toMatch(
      new RegExp(`href="/operator/addons/${scene.clientId}"[^]*?<td class="cell from-l number-cell[^>]*>1<`),
    );
  });
});
