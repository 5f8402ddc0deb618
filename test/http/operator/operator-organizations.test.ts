import { afterAll, expect, test } from 'vitest';
import { activationStream, organizationStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  deactivate,
  listWith,
  obtainTokens,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { apiAt, operatorApi, type Item } from '../../support/scenes/operator-api.ts';

const http = await startHttpApp();
const scene = await setScene(http);
const { userId: operator, credentials } = await operatorApi(http);
const call = apiAt(http, '/operator/api/organizations', credentials);
await http.settle();
afterAll(() => http.close());

const found = async (search: string) => {
  await http.settle();
  const { json } = await call('GET', `?search=${encodeURIComponent(search)}`);
  return (json['items'] as readonly Item[]).map((item) => item['organization_id']);
};

test('FX-99: organizations and add-ons are found by a name as people type it', async () => {
  const made = await call('POST', '', { name: 'Kühlhaus Größe' });
  for (const search of ['kuehlhaus', 'kuhl', 'KÜHLHAUS grosse', 'groesse'])
    expect([search, await found(search)]).toEqual([search, [made.json['organization_id']]]);
  expect(await found('kuehler')).toEqual([]);
  const { clientId } = await setScene(http, { name: 'Türwächter' });
  await http.settle();
  for (const search of ['tuer', 'turwachter', 'tuerwaechter'])
    expect(
      (await apiAt(http, '/operator/api/addons', credentials)('GET', `?search=${search}`)).json['items'],
    ).toMatchObject([{ client_id: clientId }]);
});

test('AM-10: an organization is created, renamed, given an external id and administrators, and found by each', async () => {
  const made = await call('POST', '', { name: 'Tide Mill' });
  const id = String(made.json['organization_id']);
  const item = {
    organization_id: id,
    name: 'Tide Mill',
    external_id: null,
    administrators: [],
    auditors: [],
    state: 'open',
    shown_to_publishers: true,
  };
  expect(made).toMatchObject({ status: 201, json: item });
  const changed = { name: 'Ebb Mill', external_id: '/tenants/Mill', reason: 'they asked for it' };
  const patched = await call('PATCH', `/${id}`, changed);
  expect(patched.json).toEqual({ ...item, name: 'Ebb Mill', external_id: '/tenants/Mill' });
  const { events } = await http.store.read(organizationStream(id));
  expect(events.slice(1).map(({ event, metadata }) => [event.type, metadata.actor, metadata.reason])).toEqual(
    [
      ['OrganizationRenamed', operator, 'they asked for it'],
      ['OrganizationExternalIdSet', operator, 'they asked for it'],
    ],
  );
  expect(await call('POST', `/${id}/administrators`, { user: scene.userId })).toMatchObject({
    status: 200,
    json: { administrators: [scene.userId] },
  });
  expect((await call('GET', `/${id}`)).json).toEqual({ ...patched.json, administrators: [scene.userId] });
  expect(await found('ebb')).toEqual([id]);
  expect(await found('tide')).toEqual([]);
  expect(await found('/tenants/Mill')).toEqual([id]);
  expect(await found(id)).toEqual([id]);
  const { json } = await call('GET', `?search=${id}`);
  expect(json['items']).toEqual([(await call('GET', `/${id}`)).json]);
  const remove = (force: object) => call('DELETE', `/${id}/administrators/${scene.userId}`, force);
  expect(await remove({})).toMatchObject({ status: 409, json: { code: 'last-administrator' } });
  expect(await http.commands.isAdministrator(id, scene.userId)).toBe(true);
  expect(await remove({ force: true })).toMatchObject({ json: { administrators: [] } });
  expect(await http.commands.isAdministrator(id, scene.userId)).toBe(false);
});

test('a change of nothing is refused', async () => {
  const refused = await call('PATCH', `/${scene.organizationId}`, {});
  expect([refused.status, refused.json['code']]).toEqual([409, 'nothing-to-change']);
});

test('AM-10: closing deactivates every add-on with a receipt; a repeat answers the same receipts, and no more is activated', async () => {
  const doors = await setScene(http);
  const { organizationId, userId } = doors;
  const windows = { ...doors, clientId: (await setScene(http)).clientId };
  const own = { ...doors, clientId: (await setScene(http)).clientId };
  for (const active of [doors, windows, own]) await activate(http, active);
  await deactivate(http, own);
  const { access_token: accessToken } = await obtainTokens(http, doors);
  const { access_token: ofUser } = await obtainTokens(http, { ...doors, clientId: own.clientId });
  await http.settle();
  expect((await listWith(http, '/profiles', accessToken)).statusCode).toBe(200);

  const closed = await call('POST', `/${organizationId}/close`, { reason: 'moved away' });
  const receipts = closed.json['receipts'] as readonly Item[];
  expect(closed).toMatchObject({ status: 200, json: { state: 'closed', administrators: [userId] } });
  expect((await listWith(http, '/profiles', accessToken)).statusCode).toBe(401);
  expect((await listWith(http, '/profiles', ofUser)).statusCode).toBe(200);
  const receipt = { organization_id: organizationId, status: 'deactivated', epoch: 1 };
  const [first, second] = [doors.clientId, windows.clientId].toSorted();
  expect(receipts).toMatchObject([
    { ...receipt, client_id: first, live_grants: first === doors.clientId ? 1 : 0 },
    { ...receipt, client_id: second, live_grants: second === doors.clientId ? 1 : 0 },
  ]);
  const { events } = await http.store.read(activationStream(organizationId, doors.clientId));
  const tokenId = expect.any(String) as string;
  expect(events.at(-1)?.metadata).toMatchObject({ actor: operator, tokenId, reason: 'moved away' });

  expect((await call('POST', `/${organizationId}/rename`, { name: 'Gone' })).status).toBe(200);
  const again = await call('POST', `/${organizationId}/close`);
  const known = (items: readonly Item[]) =>
    items.map(({ client_id, epoch, position }) => ({ client_id, epoch, position }));
  expect(known(again.json['receipts'] as readonly Item[])).toEqual(known(receipts));

  await expect(activate(http, own)).rejects.toThrow('organization-closed');
  expect(await http.commands.mayApproveFor(organizationId, userId)).toBe(false);
  const shown = (await call('GET', `/${organizationId}`)).json;
  await http.settle();
  expect((await call('GET', `?search=${organizationId}`)).json['items']).toEqual([shown]);
  const administrator = await signedIn(http, doors);
  const place = `/admin/organizations/${organizationId}`;
  for (const page of [place, `${place}/addons/${doors.clientId}`]) {
    const { body } = await administrator.get(page);
    expect(body).toContain('organization is closed: no add-on can be activated');
    expect(body).not.toContain('/activate"');
  }
});
