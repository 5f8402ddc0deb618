import { afterAll, describe, expect, test } from 'vitest';
import { accountStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  password,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { operatorApi, type Item } from '../../support/scenes/operator-api.ts';

const queries: string[] = [];
const http = await startHttpApp({
  aroundReader: (reader) => ({
    ...reader,
    query: (statement, values) => {
      queries.push(statement.name);
      return reader.query(statement, values);
    },
  }),
});
const scene = await setScene(http, { name: 'Gate Keeper' });
await activate(http, scene);
const { email, call } = await operatorApi(http);
const named = async (name: string) =>
  valueOf(await http.commands.createOrganization({ name })).organizationId;
const quay = await named('Quay / Süd 100%');
valueOf(await http.commands.updateOrganization({ organizationId: quay, externalId: '/tenants/Quay' }));
await named('external:/tenants/Other');
const twins = [await named('Twin'), await named('Twin')];
const ada = await createUser(http, 'ada+x@example.com', [], { name: 'Ada', roles: ['auditor'] });
await obtainTokens(http, scene);
await http.settle();
afterAll(() => http.close());

const at = (plural: string, text: string, rest = '') => `${plural}/${encodeURIComponent(text)}${rest}`;

const ambiguous = { status: 409, kind: 'name-ambiguous' };
/** What a name is refused with. */
const refusedBy = async (...asked: Parameters<typeof call>) => {
  const { status, kind, json } = await call(...asked);
  return { status, kind, candidates: json['candidates'], detail: json['detail'] };
};

describe('AP-09: in place of an id', () => {
  test.each<[string, string, string, () => string]>([
    ['an id', 'organizations', '', () => quay],
    ['an exact name', 'organizations', 'Quay / Süd 100%', () => quay],
    ['the name in another form of Unicode', 'organizations', 'Quay / Su\u0308d 100%', () => quay],
    ['an external id', 'organizations', 'external:/tenants/Quay', () => quay],
    ['an e-mail address', 'users', 'ada+x@example.com', () => ada],
    ['an e-mail address in capitals', 'users', 'ADA+X@Example.com', () => ada],
    ['the name of an add-on', 'addons', 'Gate Keeper', () => scene.clientId],
  ])('%s is accepted', async (_case, plural, text, id) => {
    const found = await call('GET', at(plural, text === '' ? id() : text));
    expect([found.status, Object.values(found.json)[0]]).toEqual([200, id()]);
  });

  test.each<[string, string]>([
    ['organizations', 'quay / süd 100%'],
    ['organizations', 'Quay'],
    ['organizations', 'external:'],
    ['organizations', 'external:/tenants/quay'],
    ['organizations', 'external:/tenants/Other'],
    ['users', 'external:/tenants/Quay'],
    ['users', 'nobody@example.com'],
    ['users', '@'],
    ['addons', 'Gate%'],
    ['addons', '!!!'],
    ['addons', 'x'.repeat(1_000)],
    ['grants', 'Gate Keeper'],
    ['signals', 'Gate Keeper'],
  ])('of %s, %j names nothing', async (plural, text) => {
    const { status, json } = await call('GET', at(plural, text));
    expect([status, JSON.stringify(json)]).toEqual([404, expect.stringContaining(`/operator/api/${plural}`)]);
  });

  test('several of one name are refused with who they are, on every way', async () => {
    const candidates = twins.toSorted().map((id) => ({ id, name: 'Twin' }));
    for (const [method, path, body] of [
      ['GET', at('organizations', 'Twin')],
      ['GET', at('organizations', 'Twin', '/auditors')],
      ['GET', `grants?organization=Twin`],
      ['PATCH', at('organizations', 'Twin'), { name: 'One' }],
      ['POST', at('organizations', 'Twin', '/close'), {}],
      ['PUT', at('organizations', 'Twin', `/addons/${scene.clientId}/activation`), {}],
      [
        'POST',
        'users',
        { email: 'tom@example.com', name: 'Tom', password, administrator_of: [quay, 'Twin'] },
      ],
    ] as const) {
      const detail = expect.stringContaining(`${twins[0]} (Twin)`);
      expect([path, await refusedBy(method, path, body)]).toEqual([
        path,
        { ...ambiguous, candidates, detail },
      ]);
    }
    expect((await call('GET', at('users', 'tom@example.com'))).status).toBe(404);
    const browser = await signedIn(http, { email });
    const page = await browser.get('/operator/organizations/Twin');
    expect([page.statusCode, page.body.includes(String(twins[1]))]).toEqual([409, true]);
    expect((await browser.get('/operator/users/ada%2Bx%40example.com')).body).toContain('ada+x@example.com');
  });

  test('filters and fields take names, and a name that was given away names nothing', async () => {
    const grants = await call('GET', `grants?${new URLSearchParams({ addon: 'Gate Keeper' }).toString()}`);
    expect((grants.json['items'] as readonly Item[]).length).toBeGreaterThan(0);
    expect(grants.json['names']).toMatchObject({ [scene.clientId]: 'Gate Keeper' });
    const typing = await call('GET', 'grants?addon=Gate%20Keepr');
    expect([typing.status, typing.json['errors']]).toMatchObject([400, [{ parameter: 'addon' }]]);
    const path = at('organizations', 'external:/tenants/Quay', '/auditors');
    expect(await call('POST', path, { user: 'ada+x@example.com' })).toMatchObject({
      status: 200,
      json: { organization_id: quay, auditors: [ada] },
    });
    expect((await call('GET', path)).json['items']).toEqual([{ member: ada, name: 'Ada' }]);
    const byAddress = `${path}/${encodeURIComponent('ada+x@example.com')}`;
    expect((await call('DELETE', byAddress, {})).json).toMatchObject({ auditors: [] });
    const activation = at('organizations', quay, `/addons/${encodeURIComponent('Gate Keeper')}/activation`);
    expect(await call('PUT', activation, {})).toMatchObject({ status: 200, json: { status: 'active' } });
    expect(await call('DELETE', activation, {})).toMatchObject({ json: { status: 'deactivated', epoch: 1 } });
    expect((await call('GET', at('organizations', quay, '/receipts'))).json['items']).toMatchObject([
      { client_id: scene.clientId, epoch: 1, status: 'deactivated' },
    ]);
    valueOf(await http.commands.updateOrganization({ organizationId: quay, name: 'Pier' }));
    const before = await call('GET', at('organizations', 'Quay / Süd 100%'));
    expect(before.status).toBe(404);
  });

  test('FX-85: people of a name are offered with address and id, and never taken', async () => {
    const candidates = [{ id: ada, name: 'Ada', email: 'ada+x@example.com', email_verified: true }];
    for (const [method, path, body] of [
      ['GET', at('users', 'Ada')],
      ['GET', 'grants?user=Ada'],
      ['POST', at('users', 'Ada', '/disable'), {}],
      ['POST', at('users', 'Ada', '/grant-role'), { role: 'operator' }],
      ['POST', at('organizations', quay, '/administrators'), { user: 'Ada' }],
      ['DELETE', at('organizations', quay, '/administrators/Ada'), {}],
      ['PATCH', at('organizations', quay), { auditors: ['Ada'] }],
    ] as const) {
      const detail = expect.stringContaining(`${ada} (Ada, ada+x@example.com)`);
      expect([path, await refusedBy(method, path, body)]).toEqual([
        path,
        { ...ambiguous, candidates, detail },
      ]);
    }
    const browser = await signedIn(http, { email });
    const form = `/operator/organizations/${quay}/add-administrator`;
    const offered = await browser.press(await browser.get(form), 'Add an administrator', { user: 'Ada' });
    expect(offered.statusCode).toBe(409);
    expect(offered.body).toMatch(new RegExp(`<option value="${ada}"[^>]*>Ada, ada\\+x@example.com, ${ada}<`));
    expect((await browser.get(at('/operator/users', 'Ada'))).statusCode).toBe(409);
  });

  test('FX-85: a text with @ is an address, and never the name of somebody', async () => {
    const stranger = await createUser(http, 'stranger@example.com', [], { name: 'Stranger' });
    const text = 'root@corp.example';
    const stream = accountStream(stranger);
    const { revision } = await http.store.readBack(stream, 'end', 1);
    const event = { type: 'AccountRenamed', data: { name: text, at: 1 } } as const;
    await http.store.append(stream, revision, [{ event }]);
    await http.settle();
    expect((await call('GET', at('users', text))).status).toBe(404);
    expect(await call('POST', at('organizations', quay, '/administrators'), { user: text })).toMatchObject({
      status: 404,
    });
    expect(
      (await call('GET', `users?${new URLSearchParams({ search: text }).toString()}`)).json['items'],
    ).toEqual([]);
    const browser = await signedIn(http, { email });
    const form = await browser.get(`/operator/organizations/${quay}/add-administrator`);
    const refused = await browser.press(form, 'Add an administrator', { user: text });
    expect(refused.body).toContain('Nobody and nothing has this name, address or id.');
    expect(refused.body).not.toMatch(new RegExp(`${stranger}" selected|>${text}, `));
  });

  test('FX-85: whoever gives a role is told who gets it, before on pages, and in the answer', async () => {
    const ada85 = { user_id: ada, name: 'Ada', email: 'ada+x@example.com', email_verified: true };
    const given = [ada85];
    const administrators = at('organizations', quay, '/administrators');
    for (const [method, path, body] of [
      ['POST', administrators, { user: 'ada+x@example.com' }],
      ['POST', at('organizations', quay, '/auditors'), { user: ada }],
      ['POST', at('users', ada, '/grant-role'), { role: 'operator' }],
    ] as const)
      expect([path, (await call(method, path, body)).json['given_to']]).toEqual([path, given]);
    const twice = await call('PATCH', at('organizations', quay), { administrators: [ada], auditors: [ada] });
    expect(twice.json).not.toHaveProperty('given_to');
    await call('DELETE', `${administrators}/${ada}`, { force: true });
    const declared = await call('PATCH', at('organizations', quay), { administrators: [ada] });
    expect(declared.json['given_to']).toEqual(given);
    await call('DELETE', `${administrators}/${ada}`, { force: true });

    const browser = await signedIn(http, { email });
    const form = await browser.get(`/operator/organizations/${quay}/add-administrator`);
    const asked = await browser.press(form, 'Add an administrator', { user: 'ada+x@example.com' });
    const told = new RegExp(
      `>Ada</bdi>, <bdi[^>]*>ada\\+x@example.com</bdi></strong> <code class="id">${ada}</code>, with a verified address`,
    );
    expect([asked.statusCode, told.test(asked.body)]).toEqual([200, true]);
    expect((await call('GET', at('organizations', quay))).json['administrators']).toEqual([]);
    const done = await browser.press(asked, 'Add an administrator', { user: 'ada+x@example.com' });
    expect(done.statusCode).toBe(303);
    expect((await browser.follow(done)).body).toMatch(told);
    expect((await call('GET', at('organizations', quay))).json['administrators']).toEqual([ada]);
    expect((await browser.get(`/operator/users/${ada}/grant-role`)).body).toMatch(told);
  });

  test('the names of a page come with one query', async () => {
    const all = ['grants', 'organizations'];
    for (const plural of all) {
      queries.length = 0;
      const { json } = await call('GET', `${plural}?limit=100`);
      expect((json['items'] as readonly Item[]).length).toBeGreaterThan(0);
      expect(queries.filter((name) => name.startsWith('names')).length).toBe(1);
    }
  });
});
