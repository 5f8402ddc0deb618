import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { Scope } from '../../src/domain/access/scope.ts';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { readNamesOfOrganizations } from '../../src/projections/organizations/list-organizations.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';
import {
  account,
  activated,
  addon,
  administrator,
  approved,
  issued,
  ofOrganization,
  organization,
  redeemed,
  revoked,
  tell,
  wholeStory,
} from './follow/a-story.ts';

const log = scriptedLog();
/** The time that the last event of a type in a stream tells. */
const timeOfLast = (stream: StreamName, type: DomainEvent['type']): string => {
  const found = log.events.findLast((recorded) => recorded.stream === stream && recorded.event.type === type);
  return new Date((found?.event.data as { at: number } | undefined)?.at ?? NaN).toISOString();
};
/** The story's grants expire within milliseconds of 1970. */
const side = await testReadModels(undefined, () => 0);
tell(log, ...wholeStory(), addon('A3', 'Aardvark'));
tell(log, issued('G3', ofOrganization(2)), issued('G4', ofOrganization(2)), redeemed('G4'));
tell(log, issued('G5', ofOrganization(2)), redeemed('G5'), revoked('G5'));
tell(log, activated(1, 'O2', 'A2'));
await projectAll(side.database.url, log, { batchSize: 5 });
afterAll(() => side.close());

test('organizations that a user administers, by name', async () => {
  expect(await side.readModels.organizationsAdministeredBy('U1')).toEqual([
    { organizationId: 'O1', name: 'Organization O1' },
    { organizationId: 'O2', name: 'Organization O2' },
  ]);
  expect(await side.readModels.organizationsAdministeredBy('U2')).toEqual([]);
});

test('organizations whose history was given to a user, by name', async () => {
  expect(await side.readModels.organizationsAuditedBy('U2')).toEqual([
    { organizationId: 'O1', name: 'Organization O1' },
    { organizationId: 'O2', name: 'Organization O2' },
  ]);
  expect(await side.readModels.organizationsAuditedBy('U1')).toEqual([]);
});

test('an organization by its id, and none for an id that is not there', async () => {
  expect(await side.readModels.organization('O2')).toEqual({
    organizationId: 'O2',
    name: 'Organization O2',
    externalId: null,
    isClosed: false,
  });
  expect(await side.readModels.organization('O7')).toBeNull();
});

test('AP-01: the names of a grant come with the judgement of the fence, an organization’s only of its grants', async () => {
  const guarded = { grantId: 'G3', addonId: 'A2', userId: 'U1' };
  const of = (subject: Parameters<typeof side.readModels.namesOfGrant>[0]['subject']) =>
    side.readModels.namesOfGrant({ ...guarded, subject });
  const organizations = { kind: 'organization', organizationId: 'O2' } as const;
  expect(await of({ ...organizations, epoch: 1 })).toMatchObject({
    refused: null,
    organization: { name: 'Organization O2', externalId: null },
  });
  expect(await of({ ...organizations, epoch: 2 })).toEqual({ refused: 'addon-deactivated' });
  expect(await of({ kind: 'user', userId: 'U9', epoch: 0 })).toMatchObject({
    refused: null,
    organization: null,
  });
});

test('FX-09: names of organizations are found by id and external id, thousands in one statement', async () => {
  const other = await testReadModels();
  onTestFinished(() => other.close());
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  await other.pool.query(
    `insert into organizations (organization_id, name, words, created_at, external_id)
     values ($1, 'Mill', '{mill}', 1, 'crm-77'), ('01ARZ3NDEKTSV4RRFFQ69G5FAW', 'Harbour', '{harbour}', 1, null)`,
    [id],
  );
  const query = vi.spyOn(other.pool, 'query');
  const named = readNamesOfOrganizations(other.pool);
  const groups = Array.from({ length: 10_000 }, (_, index) => `group ${index}`.padEnd(200, 'x'));
  expect(await named([...groups, 'crm-77', id, 'CRM-77', "'); --"])).toEqual(new Set(['crm-77', id]));
  expect(query).toHaveBeenCalledTimes(1);
  expect(await named([])).toEqual(new Set());
});

test('AM-10: organizations are listed by id, and found by any word of the name, an id or an external id', async () => {
  const other = await testReadModels();
  onTestFinished(() => other.close());
  const log = scriptedLog();
  const of = (id: string, event: DomainEvent) => ({ stream: `organization-${id}` as const, event });
  const renamed = (name: string) => ({ type: 'OrganizationRenamed', data: { name, at: 5 } }) as const;
  const named = (externalId: string) =>
    ({ type: 'OrganizationExternalIdSet', data: { externalId, at: 5 } }) as const;
  tell(
    log,
    organization('O1', 'Café Zürich-West'),
    organization('O2', "O'Neil & Null"),
    organization('O3', '海辺の家'),
    administrator('O1', 'U2'),
    administrator('O1', 'U1'),
    of('O1', named('/tenants/7')),
    of('O4', { type: 'OrganizationCreated', data: { organizationId: 'O4', name: 'Mill', at: 5 } }),
    of('O4', renamed('Harbour House')),
    of('O4', named('a')),
    of('O4', named('b')),
    of('O2', { type: 'OrganizationClosed', data: { at: 6 } }),
    of('O2', named('closed')),
  );
  await projectAll(other.database.url, log, { batchSize: 4 });
  const { readModels } = other;
  const found = async (search: string | null, after: string | null = null, limit = 10) =>
    (await readModels.organizations(search, { after, limit })).rows.map(
      ({ organizationId }) => organizationId,
    );

  expect(await found(null)).toEqual(['O1', 'O2', 'O3', 'O4']);
  expect(await found(null, 'O2', 1)).toEqual(['O3']);
  for (const [search, ids] of [
    ['cafe', ['O1']],
    ['ZÜR we', ['O1']],
    ['zur house', []],
    ['neil', ['O2']],
    ['null', ['O2']],
    ['海', ['O3']],
    ['mill', []],
    ['har', ['O4']],
    ['arbour', []],
    ['/tenants/7', ['O1']],
    ['a', []],
    ['b', ['O4']],
    ['O4', ['O4']],
    ["'); drop table organizations; --", []],
    ['& | ! :* <->', []],
    ['', []],
  ] as const)
    expect([search, await found(search)]).toEqual([search, ids]);
  expect((await readModels.organizations(null, { after: null, limit: 2 })).rows).toEqual([
    {
      organizationId: 'O1',
      name: 'Café Zürich-West',
      externalId: '/tenants/7',
      isClosed: false,
      isHidden: false,
      administrators: ['U2', 'U1'],
      auditors: [],
    },
    {
      organizationId: 'O2',
      name: "O'Neil & Null",
      externalId: 'closed',
      isClosed: true,
      isHidden: false,
      administrators: [],
      auditors: [],
    },
  ]);
  expect(await other.readModels.organization('O2')).toMatchObject({ isClosed: true });
  const client = await other.pool.connect();
  try {
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query(
      `explain select from organizations where array_to_tsvector(words) @@ '''har'':*'::tsquery`,
    );
    expect(JSON.stringify(rows)).toContain('organizations_by_word');
  } finally {
    client.release(true);
  }
});

test('DE-06: the list says what was answered, before the read models have heard of it', async () => {
  const ahead = await testReadModels();
  onTestFinished(() => ahead.close());
  const log = scriptedLog();
  tell(
    log,
    organization('O1'),
    account('U1'),
    addon('A1'),
    activated(1),
    approved('O1', 'U1', ['profiles:read'], 1),
  );
  await projectAll(ahead.database.url, log);
  const subject = activationSubject('O1', 'A1');
  const listed = async () => (await ahead.readModels.addonsOf('O1'))[0];

  await ahead.fence.write([{ subject, revision: 1n, epoch: 1, open: false }]);
  expect(await listed()).toMatchObject({
    status: 'deactivated',
    epoch: 1,
    activatedBy: 'U1',
    deactivatedAt: null,
  });
  await ahead.fence.write([{ subject, revision: 3n, epoch: 2, open: true }]);
  expect(await listed()).toMatchObject({
    status: 'active',
    epoch: 2,
    activatedBy: null,
    approvers: 0,
    scopes: [],
  });
});

test('every add-on with its activation for the organization, by name', async () => {
  const [first, second, third] = await side.readModels.addonsOf('O1');
  expect(first).toMatchObject({
    addonId: 'A3',
    status: 'never-activated',
    epoch: 0,
    activatedBy: null,
    activatedAt: null,
  });
  expect(second).toMatchObject({
    addonId: 'A1',
    name: 'Add-on A1',
    configurationUrl: 'https://addon.example/setup',
    suspended: false,
    status: 'active',
    epoch: 2,
    activatedBy: 'U1',
    activatedAt: timeOfLast('activation-O1.A1', 'AddonActivated'),
    activatedByName: 'U1',
    deactivatedBy: null,
    revokedGrants: null,
    allowedScopes: ['profiles:read'],
    scopes: ['profiles:read'],
    approvers: 1,
    lastTokenAt: timeOfLast('grant-G5', 'AuthorizationCodeRedeemed'),
    liveGrants: 1,
    unredeemedCodes: 1,
  });
  expect(third).toMatchObject({
    addonId: 'A2',
    status: 'never-activated',
    liveGrants: 0,
    unredeemedCodes: 0,
    approvers: 0,
    scopes: [],
    lastTokenAt: null,
  });
});

test('DE-06: the receipt tells connections and codes apart', async () => {
  const count = side.readModels.beginCount('O1', 'A1');
  expect(await count(2, 5000)).toEqual({ liveGrants: 1, unredeemedCodes: 1, approvers: 1 });
  expect(await count(1, 5000)).toBe(null);
  expect(await side.readModels.beginCount('O1', 'A2')(1, 5000)).toBe(null);
});

test('add-ons as they were registered', async () => {
  expect((await side.readModels.addons()).find(({ addonId }) => addonId === 'A2')).toEqual({
    addonId: 'A2',
    name: 'Add-on A2',
    redirectUris: ['https://addon.example/back'],
    configurationUrl: 'https://addon.example/setup',
    allowedScopes: ['profiles:read'],
    confidential: false,
    suspended: false,
    retired: false,
  });
});

test('a grant keeps its rotation, its times and why it ended', async () => {
  const { rows } = await side.pool.query('select * from grants where grant_id = $1', ['G1']);
  expect(rows).toMatchObject([
    { organization_id: 'O1', epoch: 1, status: 'ended', rotation: 1, ended_reason: 'revoked-by-addon' },
  ]);
});

test('an approval of a new epoch forgets the old scopes, one of the same epoch adds to them (S5)', async () => {
  const { rows } = await side.pool.query('select subject_id, scopes, epoch from consents');
  expect(rows).toEqual([{ subject_id: 'O1', scopes: ['reservations:read'], epoch: 2 }]);
});

test('FX-26: an organization is not offered resource servers', async () => {
  const doors = addon('A9', 'Doors API');
  const data = { ...doors.event.data, redirectUris: [], grantTypes: [] };
  tell(log, { ...doors, event: { ...doors.event, data } as DomainEvent });
  await projectAll(side.database.url, log);
  const ids = (await side.readModels.addonsOf('O1')).map(({ addonId }) => addonId);
  expect([ids.includes('A9'), ids.includes('A3')]).toEqual([false, true]);
});

test('FX-24: openid, profile and email are remembered as three scopes', async () => {
  const approve = (scopes: readonly Scope[]) => {
    tell(log, approved('U7', 'U7', scopes, 0));
    return projectAll(side.database.url, log);
  };
  const remembered = async () =>
    (await side.pool.query(`select scopes from consents where user_id = 'U7'`)).rows;
  await approve(['openid', 'profiles:read']);
  expect(await remembered()).toEqual([{ scopes: ['openid', 'profiles:read'] }]);
  await approve(['openid', 'email']);
  expect(await remembered()).toEqual([{ scopes: ['email', 'openid', 'profiles:read'] }]);
});

test('revoked grants are counted for their own epoch only', async () => {
  const { rows } = await side.pool.query(
    `select active, epoch, revoked_grants from activations where organization_id = 'O1'`,
  );
  expect(rows).toEqual([{ active: true, epoch: 2, revoked_grants: null }]);
});

test('nothing that could be used as a credential, nor a password hash, is in any table', async () => {
  const everything = JSON.stringify(await side.dump());
  for (const secret of ['salt', 'challenge', 'argon2', 'digest']) expect(everything).not.toContain(secret);
});
