import { afterAll, describe, expect, test } from 'vitest';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, publish, setScene } from '../../support/scenes/http-scene.ts';
import { operatorApi } from '../../support/scenes/operator-api.ts';

const http = await startHttpApp();
const scene = await setScene(http);
const { userId: operator, call } = await operatorApi(http);
await http.settle();
afterAll(() => http.close());

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

test('AP-10: a publisher is created, found, renamed and shown with its members and add-ons, whose text follows', async () => {
  const { userId, clientId } = scene;
  const { json } = await call('POST', 'publishers', { name: 'Doors Ltd' });
  const id = String(json['publisher_id']);
  const item = { publisher_id: id, name: 'Doors Ltd', members: [], addons: [] };
  expect((await call('GET', `publishers/${id}`)).json).toEqual(item);
  expect(await call('PATCH', `addons/${clientId}`, { publisher_id: id })).toMatchObject({
    json: { publisher_id: id, publisher: 'Doors Ltd' },
  });
  const role = { role: 'publisher', publisher: id };
  expect(await call('POST', `users/${userId}/grant-role`, { ...role, publisher: 'Doors Ltd' })).toMatchObject(
    {
      status: 200,
    },
  );
  const roleItem = { role: 'publisher', organization_id: null, publisher_id: id, source: 'manual' };
  const roles = async () => (await call('GET', `users/${userId}`)).json['roles'];
  expect(await roles()).toContainEqual(roleItem);
  await http.settle();
  expect((await call('GET', 'users?role=publisher')).json['items']).toMatchObject([{ user_id: userId }]);
  expect(await call('PATCH', `publishers/${id}`, { name: 'Gates' })).toMatchObject({
    json: { name: 'Gates', members: [userId], addons: [clientId] },
  });
  expect((await call('GET', `addons/${clientId}`)).json).toMatchObject({ publisher: 'Gates' });
  const text = await call('PATCH', `addons/${clientId}`, { publisher: 'Somebody else' });
  expect(text).toMatchObject({ status: 400, json: { errors: [{ parameter: 'publisher' }] } });
  await http.settle();
  for (const search of ['gat', id])
    expect((await call('GET', `publishers?search=${search}`)).json['items']).toMatchObject([
      { publisher_id: id },
    ]);
  expect((await call('GET', 'publishers?search=doors')).json['items']).toEqual([]);
  expect((await call('GET', `addons?publisher=${id}`)).json['items']).toMatchObject([
    { client_id: clientId },
  ]);
  expect(await call('POST', `users/${userId}/remove-role`, role)).toMatchObject({ status: 200 });
  expect(await roles()).not.toContainEqual(roleItem);
});

test('AP-10: what fits no publisher is refused, and says which field', async () => {
  const { userId, clientId } = scene;
  const grant = (body: object) => call('POST', `users/${userId}/grant-role`, body);
  const code = (name: string) => ({ status: 409, json: { code: name } });
  expect(await grant({ role: 'publisher' })).toMatchObject(code('publisher-missing'));
  expect(await grant({ role: 'operator', publisher: nobody })).toMatchObject(code('publisher-needless'));
  expect(await grant({ role: 'publisher', organization: nobody })).toMatchObject(
    code('organization-needless'),
  );
  for (const publisher of [nobody, '../x', 'No such name'])
    expect(await grant({ role: 'publisher', publisher })).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'publisher' }] },
    });
  for (const publisher_id of [nobody, 'x'.repeat(10_240)])
    expect(await call('PATCH', `addons/${clientId}`, { publisher_id })).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'publisher_id' }] },
    });
  for (const name of ['', ' ', 'x'.repeat(10_240), '\u202Eevil'])
    expect(await call('POST', 'publishers', { name })).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'name' }] },
    });
  for (const id of [nobody, 'x', '%2e%2e%2f'])
    expect((await call('GET', `publishers/${id}`)).kind).toBe('publisher-unknown');
});

test('AP-10: a change waits, is found, approved by somebody else than its author, or refused with a reason', async () => {
  const { clientId } = scene;
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Bells' }));
  const invited = await call('POST', 'users/invite', {
    email: 'bea@bells.example',
    name: 'Bea',
    publisher: publisherId,
  });
  const bea = String(invited.json['user_id']);
  expect((await call('GET', `publishers/${publisherId}`)).json['members']).toEqual([bea]);
  valueOf(await http.commands.addPublisherMember({ publisherId, userId: operator }));
  valueOf(await http.commands.updateAddon({ addonId: clientId, publisherId }));
  const propose = async (userId: string, website: string) => {
    const request = { addonId: clientId, member: { userId, byClaim: true }, isFree: false, website };
    return valueOf(await http.commands.proposeAddonChange(request)).change.changeId;
  };
  const { website: shownBefore } = (await call('GET', `addons/${clientId}`)).json;
  const [mine, hers, refused] = [
    await propose(operator, 'https://a.example/'),
    await propose(bea, 'https://b.example/'),
    await propose(bea, 'https://c.example/'),
  ];
  await http.settle();
  expect((await call('GET', 'addons?waiting_changes=true')).json['items']).toMatchObject([
    { client_id: clientId },
  ]);
  const path = `addons/${clientId}/changes`;
  const listed = (await call('GET', path)).json['items'];
  const undecided = { state: 'waiting', approved_by: null, refused_by: null };
  expect(listed).toMatchObject([
    { change_id: refused, proposed_by: bea, ...undecided },
    {
      change_id: hers,
      differences: [
        { field: 'website', before: [shownBefore].flat().filter(Boolean), after: ['https://b.example/'] },
      ],
    },
    { change_id: mine, proposed_by: operator },
  ]);
  const shown = async (id: string) => (await call('GET', `${path}/${id}`)).json;
  expect(await shown(hers)).toEqual((listed as readonly object[])[1]);
  const approve = async (id: string) =>
    call('POST', `${path}/${id}/approve`, { revision: (await shown(id))['revision'] });
  expect(await approve(mine)).toMatchObject({ status: 409, json: { code: 'own-change' } });
  for (const body of [undefined, {}, { revision: '' }, { revision: 7 }])
    expect(await call('POST', `${path}/${hers}/approve`, body)).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'revision' }] },
    });
  expect(await approve(hers)).toMatchObject({
    status: 200,
    json: { change_id: hers, state: 'approved', proposed_by: bea, approved_by: operator, refused_by: null },
  });
  expect((await call('GET', `addons/${clientId}`)).json).toMatchObject({ website: 'https://b.example/' });
  expect(await call('POST', `${path}/${refused}/refuse`, { reason: 'not yours' })).toMatchObject({
    json: {
      state: 'refused',
      reason: 'not yours',
      proposed_by: bea,
      approved_by: null,
      refused_by: operator,
    },
  });
  const unknown = await call('POST', 'users/invite', { email: 'c@x.example', name: 'C', publisher: nobody });
  expect(unknown).toMatchObject({ status: 400, json: { errors: [{ parameter: 'publisher' }] } });
});

test('FX-94: a change whose add-on has changed since it was shown is refused with what it changes now', async () => {
  const { clientId, userId } = await setScene(http);
  await publish(http, clientId, userId);
  const evil = 'https://evil.example/callback';
  const request = { addonId: clientId, member: { userId, byClaim: true }, isFree: false };
  const proposed = await http.commands.proposeAddonChange({ ...request, addRedirectUris: [evil] });
  const path = `addons/${clientId}/changes/${valueOf(proposed).change.changeId}`;
  const { json: shown } = await call('GET', path);
  expect(shown['differences']).toMatchObject([{ field: 'redirect_uris', with_new_host: [evil] }]);
  await call('PATCH', `addons/${clientId}`, { redirect_uris: ['https://addon.example/other'] });
  const refused = await call('POST', `${path}/approve`, { revision: shown['revision'] });
  const { json: now } = await call('GET', path);
  expect(refused).toMatchObject({ status: 412, kind: 'changed-meanwhile', json: { current: now } });
  expect(now['differences']).toMatchObject([
    { before: ['https://addon.example/other'], after: ['https://addon.example/other', evil] },
  ]);
  expect((await call('POST', `${path}/approve`, { revision: now['revision'] })).status).toBe(200);
});

test('AP-07, AP-10: the publisher of an add-on and the role of a member are declared, and unset', async () => {
  const { clientId, userId } = scene;
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Locks' }));
  const addon = await call('PATCH', `addons/${clientId}`, { publisher_id: publisherId });
  expect(addon.json).toMatchObject({ publisher_id: publisherId, publisher: 'Locks' });
  expect((await call('PATCH', `addons/${clientId}`, addon.json)).status).toBe(200);
  expect(await call('PATCH', `addons/${clientId}`, { publisher: null })).toMatchObject({
    status: 400,
    json: { errors: [{ parameter: 'publisher' }] },
  });
  const unset = await call('PATCH', `addons/${clientId}`, { publisher_id: null });
  expect(unset.json).toMatchObject({ publisher_id: null, publisher: 'Locks' });
  const before = (await call('GET', `users/${userId}`)).json['roles'] as readonly object[];
  const roles = [...before, { role: 'publisher', publisher_id: publisherId }];
  const { json } = await call('PATCH', `users/${userId}`, { roles });
  expect(json['roles']).toContainEqual({
    role: 'publisher',
    organization_id: null,
    publisher_id: publisherId,
    source: 'manual',
  });
  expect((await call('PATCH', `users/${userId}`, { roles: before })).json['roles']).toEqual(before);
  expect((await call('PATCH', `users/${userId}`, { roles: [{ role: 'publisher' }] })).status).toBe(400);
});

describe('FX-92: the filter of add-ons with waiting changes', () => {
  type Case = { readonly publisherId: string; readonly userId: string; readonly clientId: string };
  const { commands } = http;
  const leave = async (given: Case) => valueOf(await commands.removePublisherMember(given));
  const rejoin = async (given: Case) => valueOf(await commands.addPublisherMember(given));
  const claims = async ({ publisherId, userId }: Case, publishers: readonly string[]) => {
    const identity = { provider: 'acme', issuer: 'https://id.acme.example', subject: userId, name: 'Ada' };
    valueOf(await commands.linkIdentity({ userId, ...identity }));
    const mapped = { administratorOf: [], roles: [], publishers: publishers.map(() => publisherId) };
    valueOf(await commands.accountOfIdentity({ ...identity, email: null, emailVerified: false, mapped }));
  };
  const disable = async ({ userId }: Case) => valueOf(await commands.disableUser({ userId, force: false }));
  const ways: readonly (readonly [
    name: string,
    isFound: boolean,
    ...acts: readonly ((given: Case) => Promise<unknown>)[],
  ])[] = [
    ['its author is a member', true],
    ['its author has left', false, leave],
    ['its author has left and come back', false, leave, rejoin],
    [
      'its author is a member by claim, too, and leaves by hand',
      true,
      (given) => claims(given, ['it']),
      leave,
    ],
    [
      'its author left by hand and by claim',
      false,
      (given) => claims(given, ['it']),
      leave,
      (given) => claims(given, []),
      rejoin,
    ],
    ['its author is disabled', false, disable],
    [
      'its author was disabled and is enabled again',
      false,
      disable,
      async ({ userId }) => valueOf(await commands.enableUser(userId)),
    ],
    [
      'the add-on was retired',
      false,
      async ({ clientId: addonId }) =>
        valueOf(await commands.retireAddon({ addonId, by: 'break-glass', tokenId: null })),
    ],
    [
      'the add-on has no publisher any more',
      false,
      async ({ clientId: addonId }) => valueOf(await commands.updateAddon({ addonId, publisherId: null })),
    ],
  ];

  const read = ['at once', 'event by event'] as const;
  test.each(read.flatMap((how) => ways.map(([name, isFound, ...acts]) => ({ how, name, isFound, acts }))))(
    'finds $isFound where $name (read $how)',
    async ({ how, isFound, acts }) => {
      const { clientId } = await setScene(http);
      const userId = await createUser(http, `${clientId}@bells.example`);
      const publisherId = await publish(http, clientId, userId);
      const given = { clientId, userId, publisherId };
      const member = { userId, byClaim: true };
      const website = 'https://bells.example/';
      const request = { addonId: clientId, member, isFree: false, website };
      valueOf(await commands.proposeAddonChange(request));
      for (const act of acts) {
        if (how === 'event by event') await http.settle();
        await act(given);
      }
      await http.settle();
      const found = async () => {
        const { json } = await call('GET', `addons?waiting_changes=true&publisher=${publisherId}`);
        return (json['items'] as readonly object[]).length > 0;
      };
      const waits = (await commands.listAddonChanges(clientId))?.some(({ state }) => state === 'waiting');
      expect(waits).toBe(isFound);
      expect(await found()).toBe(isFound);
    },
  );
});
