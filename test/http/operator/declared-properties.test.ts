import { afterAll, describe, expect, test } from 'vitest';
import { accountStream, addonStream, organizationStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, setScene } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { operatorApi, type Item } from '../../support/scenes/operator-api.ts';

const http = await startHttpApp();
const scene = await setScene(http, { name: 'Gate Keeper' });
const { userId: operator, call } = await operatorApi(http);
await http.settle();
afterAll(() => http.close());

const ifMatch = (etag: unknown) => ({ headers: { 'if-match': String(etag) } });
const lengthOf = async (stream: Parameters<typeof http.store.read>[0]) =>
  (await http.store.read(stream)).events.length;

describe('AP-07: PATCH takes what GET answers', () => {
  const addon = `addons/${scene.clientId}`;

  test('whole lists of an add-on replace those before, next to add_ and remove_, and null removes', async () => {
    const wanted = {
      redirect_uris: ['https://gate.example/a', 'https://gate.example/b'],
      post_logout_redirect_uris: ['https://gate.example/bye'],
      scopes: ['profiles:read'],
      allowed_audiences: ['https://lamps.example/'],
      publisher: 'Gates Ltd',
      website: 'https://gate.example/',
    };
    const first = await call('PATCH', addon, wanted);
    expect(first).toMatchObject({ status: 200, json: wanted });
    const length = await lengthOf(addonStream(scene.clientId));
    const reordered = { ...wanted, redirect_uris: wanted.redirect_uris.toReversed() };
    for (const same of [wanted, reordered, first.json])
      expect(await call('PATCH', addon, same)).toMatchObject({ status: 200, json: first.json });
    expect(await lengthOf(addonStream(scene.clientId))).toBe(length);

    const both = { redirect_uris: ['https://gate.example/a'], add_redirect_uri: ['https://gate.example/c'] };
    expect((await call('PATCH', addon, both)).json['redirect_uris']).toEqual([
      'https://gate.example/a',
      'https://gate.example/c',
    ]);
    const less = { allowed_audiences: [], post_logout_redirect_uris: [], website: null, publisher: null };
    expect(await call('PATCH', addon, less)).toMatchObject({ status: 200, json: less });
    expect((await call('GET', addon)).json).toMatchObject(less);
    await http.settle();
    const [listed] = (await call('GET', 'addons?search=gate')).json['items'] as readonly Item[];
    expect(listed).toMatchObject(less);
    const emptied = await lengthOf(addonStream(scene.clientId));
    expect((await call('PATCH', addon, less)).status).toBe(200);
    expect(await lengthOf(addonStream(scene.clientId))).toBe(emptied);
  });

  test('what a resource server answers for is a whole list, too', async () => {
    const lamps = { confidential: true, grantTypes: [], audiences: ['https://lamps.example/'] };
    const { clientId } = await setScene(http, lamps);
    const server = `addons/${clientId}`;
    const audiences = ['https://lamps.example/', 'https://bulbs.example/'];
    expect((await call('PATCH', server, { audiences })).json).toMatchObject({ audiences });
    const length = await lengthOf(addonStream(clientId));
    expect((await call('PATCH', server, { audiences: audiences.toReversed() })).status).toBe(200);
    expect(await lengthOf(addonStream(clientId))).toBe(length);
    expect((await http.commands.currentAddon(clientId))?.audiences).toEqual(audiences);
    const wrong = await call('PATCH', addon, { audiences });
    expect([wrong.status, JSON.stringify(wrong.json)]).toEqual([400, expect.stringContaining('audiences')]);
  });

  test.each<[string, object, string]>([
    ['a list of nothing', { redirect_uris: [] }, 'redirect_uris'],
    ['the same twice', { redirect_uris: ['https://a.example/', 'https://a.example/'] }, 'redirect_uris'],
    ['no list', { redirect_uris: 'https://a.example/' }, 'redirect_uris'],
    ['null for what has to be there', { name: null }, 'name'],
    ['null for a list', { scopes: null }, 'scopes'],
    ['another value of what cannot be set', { confidential: true }, 'confidential'],
    ['another id', { client_id: operator }, 'client_id'],
    ['a text of 10 kB', { publisher: 'x'.repeat(10_000) }, 'publisher'],
    ['a key of the prototype', JSON.parse('{"__proto__": {"name": "x"}}') as object, '__proto__'],
    [
      'both at once',
      { add_redirect_uri: ['https://b.example/'], remove_redirect_uri: ['https://b.example/'] },
      'add_redirect_uri',
    ],
  ])('%s is refused with its field', async (_case, body, field) => {
    const before = await lengthOf(addonStream(scene.clientId));
    const { status, json } = await call('PATCH', addon, body);
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(`"${field}`)]);
    expect(await lengthOf(addonStream(scene.clientId))).toBe(before);
  });

  test('the administrators and auditors of an organization, by one append; tokens of former ones end', async () => {
    const organization = `organizations/${scene.organizationId}`;
    const [ada, ben] = [
      await createUser(http, 'ada@example.com', [], { roles: ['auditor'] }),
      await createUser(http, 'ben@example.com'),
    ];
    const members = { administrators: [ada, 'ben@example.com'], auditors: [ada] };
    const set = await call('PATCH', organization, { ...members, external_id: 'gate-1' });
    expect(set).toMatchObject({
      status: 200,
      json: { administrators: [ada, ben], auditors: [ada], external_id: 'gate-1' },
    });
    const length = await lengthOf(organizationStream(scene.organizationId));
    expect((await call('PATCH', organization, set.json)).status).toBe(200);
    expect(await lengthOf(organizationStream(scene.organizationId))).toBe(length);
    const refused = await call('PATCH', organization, { administrators: [] });
    expect(refused).toMatchObject({ status: 409, json: { code: 'last-administrator' } });
    for (const wrong of [{ auditors: [ben] }, { administrators: [ada, scene.organizationId] }])
      expect(await call('PATCH', organization, wrong)).toMatchObject({ status: 400 });
    expect(await lengthOf(organizationStream(scene.organizationId))).toBe(length);
    const without = { external_id: null, administrators: [ben], auditors: [] };
    expect(await call('PATCH', organization, without)).toMatchObject({ status: 200, json: without });
    const other = valueOf(await http.commands.createOrganization({ name: 'Other' })).organizationId;
    expect(await call('PATCH', `organizations/${other}`, { external_id: 'gate-1' })).toMatchObject({
      status: 200,
      json: { external_id: 'gate-1' },
    });
  });

  test('the roles of a user that were given by hand; those by claim are refused', async () => {
    const cleo = await createUser(http, 'cleo@example.com', [], { roles: ['auditor'] });
    const user = `users/${cleo}`;
    const roles = [{ role: 'administrator', organization_id: scene.organizationId }, { role: 'operator' }];
    const set = await call('PATCH', user, { roles });
    expect(set.json['roles']).toEqual([
      { role: 'administrator', organization_id: scene.organizationId, publisher_id: null, source: 'manual' },
      { role: 'operator', organization_id: null, publisher_id: null, source: 'manual' },
    ]);
    const length = await lengthOf(accountStream(cleo));
    expect((await call('PATCH', user, set.json)).status).toBe(200);
    expect(await lengthOf(accountStream(cleo))).toBe(length);
    for (const wrong of [
      [{ role: 'operator', source: 'claim' }],
      [{ role: 'operator', organization_id: scene.organizationId }],
      [{ role: 'administrator' }],
      [{ role: 'owner' }],
      'operator',
    ]) {
      const refused = await call('PATCH', user, { roles: wrong });
      expect([refused.status, refused.kind]).toEqual([400, 'invalid-parameters']);
    }
    await http.settle();
    expect((await call('PATCH', user, { roles: [], force: true })).json).toMatchObject({ roles: [] });
    expect((await call('PATCH', user, { email: null })).status).toBe(400);
  });

  test('FX-51: with If-Match, of two changes at once exactly one is made, and what changes nothing is refused as well', async () => {
    const { etag } = (await call('GET', addon)).headers;
    const both = await Promise.all(
      ['One', 'Two'].map((name) =>
        call('PATCH', addon, { publisher: name, website: 'https://gate.example/' }, ifMatch(etag)),
      ),
    );
    expect(both.map(({ status }) => String(status)).sort()).toEqual(['200', '412']);
    const won = both.find(({ status }) => status === 200);
    expect((await call('GET', addon)).json).toMatchObject({ publisher: won?.json['publisher'] });
    expect(both.find(({ status }) => status === 412)?.kind).toBe('changed-meanwhile');
    expect((await call('PATCH', addon, { ...won?.json }, ifMatch(etag))).status).toBe(412);
    expect((await call('PATCH', addon, { client_id: scene.clientId }, ifMatch(etag))).status).toBe(412);
    expect(
      (await call('PATCH', addon, { client_id: scene.clientId }, ifMatch(won?.headers['etag']))).status,
    ).toBe(200);
    const current = String((await call('GET', addon)).headers['etag']);
    const same = { client_id: scene.clientId };
    for (const matching of [
      `W/${current}`,
      `"1", ${current}`,
      `, W/"0" ,${current},`,
      ' * ',
      `"gzip,x", W/${current}`,
    ])
      expect([matching, (await call('PATCH', addon, same, ifMatch(matching))).status]).toEqual([
        matching,
        200,
      ]);
    for (const other of ['"a"', 'W/"0"', '"0", "1"', '"99999999999999999999"', '""', String(etag)])
      expect([other, (await call('PATCH', addon, same, ifMatch(other))).status]).toEqual([other, 412]);
    for (const malformed of ['12', '"1" "2"', 'w/"12"', 'W/ "12"', "'12'", '"1', '*, "1"', '"1 2"'])
      expect([malformed, (await call('PATCH', addon, same, ifMatch(malformed))).status]).toEqual([
        malformed,
        400,
      ]);
  });
});

test('FX-52: PATCH takes a JSON Merge Patch (RFC 7396), and says so', async () => {
  const path = `organizations/${scene.organizationId}`;
  const merged = { headers: { 'content-type': 'application/merge-patch+json' } };
  expect(await call('PATCH', path, { name: 'Merged', external_id: null }, merged)).toMatchObject({
    status: 200,
    json: { name: 'Merged', external_id: null },
  });
  const text = { headers: { 'content-type': 'text/plain' } };
  const types = 'application/merge-patch+json, application/json';
  for (const answer of [
    await call('GET', path),
    await call('PATCH', path, { name: 'Again' }),
    await call('PATCH', path, { name: 'Again' }, text),
    await call('PUT', path, {}),
  ])
    expect([answer.status, answer.headers['accept-patch']]).toEqual([answer.status, types]);
  expect((await call('PATCH', path, { name: 'Again' }, text)).status).toBe(415);
  expect((await call('GET', 'signals')).headers['accept-patch']).toBeUndefined();
});
