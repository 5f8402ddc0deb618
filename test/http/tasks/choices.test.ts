import { afterAll, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { operatorApi } from '../../support/scenes/operator-api.ts';
import { valueOf } from '../../support/outcomes.ts';

// What the fields of filters and forms can name is offered (FX-99).

const http = await startHttpApp();
afterAll(() => http.close());
const scene = await setScene(http, { name: 'Gate Keeper' });
await activate(http, scene);
const { email } = await operatorApi(http, 'olive');
const olive = await signedIn(http, { email });
const organization = `/operator/organizations/${scene.organizationId}`;

type Option = readonly [value: string, label: string];
const optionsIn = (body: string, id: string): readonly Option[] | null => {
  const select = new RegExp(`<select id="${id}"[^>]*>(.*?)</select>`, 's').exec(body)?.[1];
  if (select === undefined) return null;
  return [...select.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, value = '', label = '']) => [value, label] as const,
  );
};
const offered = async (url: string, id: string) => optionsIn((await olive.get(url)).body, id);
const chosenIn = (body: string, id: string) =>
  new RegExp(`<select id="${id}"[^]*?<option value="([^"]*)" selected`).exec(body)?.[1];

test('FX-99: filters offer everything by name, closed or not, and keep what was chosen', async () => {
  const { organizationId: closed } = valueOf(await http.commands.createOrganization({ name: 'Ärmel & Co' }));
  await http.commands.closeOrganization({ organizationId: closed });
  await http.settle();
  const page = await olive.get(`/operator/grants?organization=${closed}`);
  const organizations = optionsIn(page.body, 'organization');
  expect(organizations?.slice(0, 2)).toEqual([
    ['', 'All'],
    [closed, 'Ärmel &amp; Co'],
  ]);
  expect(organizations?.map(([value]) => value)).toContain(scene.organizationId);
  expect(chosenIn(page.body, 'organization')).toBe(closed);
  expect(page.body).toMatch(/Organization: <bdi[^>]*>Ärmel &amp; Co</);
  expect(optionsIn(page.body, 'user')).toContainEqual([scene.userId, `Ada Ahoi, ${scene.email}`]);
});

test('FX-99: two of one name are told apart, and an address that nobody vouches for is not shown', async () => {
  const twins = [];
  for (let twin = 0; twin < 2; twin += 1)
    twins.push(valueOf(await http.commands.createOrganization({ name: 'Twin' })).organizationId);
  await http.settle();
  const options = await offered('/operator/grants', 'organization');
  expect(options?.filter(([, label]) => label.startsWith('Twin'))).toEqual(
    twins.toSorted().map((id) => [id, `Twin, ${id}`]),
  );
  await http.pool.query('update accounts set email_verified = false where user_id = $1', [scene.userId]);
  expect(await offered('/operator/grants', 'user')).toContainEqual([scene.userId, 'Ada Ahoi']);
  await http.pool.query('update accounts set email_verified = true where user_id = $1', [scene.userId]);
});

test('FX-99: a form offers what is possible now, and nothing is chosen by leaving it', async () => {
  const [other, retired] = [
    await setScene(http, { name: 'Other' }),
    await setScene(http, { name: 'Retired' }),
  ];
  await http.commands.retireAddon({ addonId: retired.clientId, by: scene.userId });
  await http.settle();
  const activation = await offered(`${organization}/activate-addon`, 'activate-addon-addon');
  expect(activation?.[0]).toEqual(['', '–']);
  const ids = activation?.map(([value]) => value);
  expect([
    ids?.includes(other.clientId),
    ids?.includes(scene.clientId),
    ids?.includes(retired.clientId),
  ]).toEqual([true, false, false]);
  const token = `/operator/users/${scene.userId}/create-token`;
  expect(await offered(token, 'create-token-organization')).toEqual([
    ['', '–'],
    [scene.organizationId, expect.any(String)],
  ]);
  const role = `/operator/users/${scene.userId}/grant-role`;
  const rolesOffered = async () => (await offered(role, 'grant-role-role'))?.map(([value]) => value);
  expect(await rolesOffered()).toContain('auditor');
  expect((await offered(`${organization}/add-auditor`, 'add-auditor-user'))?.length).toBe(1);
  await http.commands.grantRole({ userId: scene.userId, role: 'auditor' });
  await http.settle();
  expect(await rolesOffered()).not.toContain('auditor');
  expect(await offered(`${organization}/add-auditor`, 'add-auditor-user')).toEqual([
    ['', '–'],
    [scene.userId, 'Ada Ahoi'],
  ]);
  expect((await offered(role, 'grant-role-organization'))?.map(([, label]) => label)).not.toContain(
    'Ärmel &amp; Co',
  );
});

test('FX-99: a property is filled in with what it is', async () => {
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Doors Ltd' }));
  valueOf(await http.commands.createPublisher({ name: 'Another' }));
  await http.commands.updateAddon({ addonId: scene.clientId, publisherId });
  await http.settle();
  const page = await olive.get(`/operator/addons/${scene.clientId}/update?field=publisher_id`);
  expect(optionsIn(page.body, 'update-publisher_id')?.map(([, label]) => label)).toEqual([
    '–',
    'Another',
    'Doors Ltd',
  ]);
  expect(chosenIn(page.body, 'update-publisher_id')).toBe(publisherId);
});

test('FX-99: more than 50 are typed, and some are suggested', async () => {
  await http.pool.query(`
    insert into organizations (organization_id, name, created_at, words)
    select '01JD0000000000000000' || lpad(n::text, 6, '0'), 'Mooring ' || n, 1, array['mooring', n::text]
    from generate_series(1, 60) as n`);
  const { body } = await olive.get('/operator/grants');
  expect(optionsIn(body, 'organization')).toBeNull();
  expect(body).toMatch(
    /<input type="text"[^>]*\sid="organization"|<input type="text"[^>]*\slist="organization-list"/,
  );
  const list = /<datalist id="organization-list">(.*?)<\/datalist>/s.exec(body)?.[1] ?? '';
  expect(list.match(/<option /g)).toHaveLength(50);
  expect(list).toContain('<option value="Mooring 1">');
});
