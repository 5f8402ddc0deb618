import { afterAll, expect, test } from 'vitest';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { password, setScene } from '../../support/scenes/http-scene.ts';

const http = await startHttpApp();
const scene = await setScene(http);
const person = { email: 'olive@example.com', name: 'Olive', password, administratorOf: [] };
const operator = valueOf(await http.commands.createUser({ ...person, roles: ['operator'] })).userId;
const asked = { userId: operator, organizationId: null, name: 'daily work', days: 30, by: operator };
const { token } = valueOf(await http.commands.issueAdministratorToken(asked));
await http.settle();
afterAll(() => http.close());

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) => {
  const answer = await http.app.inject({
    method,
    url: `/operator/api/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  });
  const json = answer.json<Record<string, unknown> & { type?: string }>();
  return { status: answer.statusCode, json, kind: json.type?.replace(/.*\//, '') };
};

test('AP-10: a publisher is created, found, renamed and shown with its members and add-ons, whose text follows', async () => {
  const { userId, clientId } = scene;
  const { json } = await call('POST', 'publishers/create', { name: 'Doors Ltd' });
  const id = String(json['publisher_id']);
  const item = { publisher_id: id, name: 'Doors Ltd', members: [], addons: [] };
  expect((await call('GET', `publishers/${id}`)).json).toEqual(item);
  expect(await call('PATCH', `addons/${clientId}`, { publisher_id: id })).toMatchObject({
    json: { publisher_id: id, publisher: 'Doors Ltd' },
  });
  const role = { role: 'publisher', publisher: id };
  expect(await call('POST', `users/${userId}/grant-role`, role)).toMatchObject({ status: 200 });
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
  for (const publisher of [nobody, '../x'])
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
    expect(await call('POST', 'publishers/create', { name })).toMatchObject({
      status: 400,
      json: { errors: [{ parameter: 'name' }] },
    });
  for (const id of [nobody, 'x', '%2e%2e%2f'])
    expect((await call('GET', `publishers/${id}`)).kind).toBe('publisher-unknown');
});

test('AP-10: an organization says whether publishers see its name', async () => {
  const path = `organizations/${scene.organizationId}`;
  for (const shown_to_publishers of [false, 'true', false]) {
    const { json } = await call('PATCH', path, { shown_to_publishers });
    expect(json).toMatchObject({ shown_to_publishers: shown_to_publishers !== false });
    expect((await call('GET', path)).json).toEqual(json);
  }
  await http.settle();
  const { items } = (await call('GET', `organizations?search=${scene.organizationId}`)).json as never;
  expect(items).toMatchObject([{ shown_to_publishers: false }]);
  expect(await call('PATCH', path, { shown_to_publishers: 'no' })).toMatchObject({
    json: { errors: [{ parameter: 'shown_to_publishers', allowed: 'true or false' }] },
  });
});
