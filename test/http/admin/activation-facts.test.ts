import { afterAll, expect, test } from 'vitest';
import { activate, setScene, signedIn, type Scene } from '../../support/scenes/http-scene.ts';
import { inUse, startWithReadModelsAway } from '../../support/servers/in-use.ts';
import type { TestBrowser } from '../../support/scenes/pages.ts';

/** The JSON API tells an administrator the same as the pages (AC-04). */

const { http, whileAway } = await startWithReadModelsAway();
afterAll(() => http.close());

type Json = Readonly<Record<string, unknown>>;
const call = async (browser: TestBrowser, method: 'GET' | 'PUT' | 'DELETE', url: string): Promise<Json> => {
  const cookies = Object.fromEntries(browser.cookies);
  return (await http.app.inject({ method, url, cookies })).json();
};
const activationUrl = ({ organizationId, clientId }: Scene) =>
  `/organizations/${organizationId}/addons/${clientId}/activation`;
const itemOf = async (browser: TestBrowser, { organizationId, clientId }: Scene) => {
  const { items } = await call(browser, 'GET', `/organizations/${organizationId}/addons`);
  return (items as readonly Json[]).find(({ client_id }) => client_id === clientId) ?? {};
};

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
const unknown = {
  live_grants: null,
  unredeemed_codes: null,
  approvers: null,
  scopes: null,
  last_token_at: null,
  approvals: null,
};

test('AC-04: list and activation tell scopes, people, last token, grants, and who acted when', async () => {
  const { scene, browser, secondUserId } = await inUse(http);
  const facts = {
    client_id: scene.clientId,
    name: 'Door Sync',
    status: 'active',
    epoch: 1,
    suspended: false,
    retired: false,
    configuration_url: 'https://addon.example/configure?from=grantbook',
    allowed_scopes: ['profiles:read', 'reservations:read', 'access-rights:read'],
    activated_by: scene.userId,
    activated_at: instant,
    deactivated_by: null,
    deactivated_at: null,
    revocation: null,
    live_grants: 3,
    unredeemed_codes: 1,
    approvers: 2,
    scopes: ['profiles:read', 'access-rights:read'],
    last_token_at: instant,
  };
  const item = await itemOf(browser, scene);
  expect(item).toEqual(facts);
  const shown = await call(browser, 'GET', activationUrl(scene));
  const common = { name: 'Ada Ahoi', last_token_at: instant };
  const wider = ['profiles:read', 'access-rights:read'];
  expect(shown).toEqual({
    ...item,
    organization_id: scene.organizationId,
    approvals: [
      { ...common, user_id: secondUserId, scopes: wider, live_grants: 1, unredeemed_codes: 1 },
      { ...common, user_id: scene.userId, scopes: ['profiles:read'], live_grants: 2, unredeemed_codes: 0 },
    ],
  });
});

test('DE-04, DE-06: after a deactivation they say who did it, and that the revocation is not complete yet', async () => {
  const { scene, browser } = await inUse(http);
  expect(await call(browser, 'DELETE', activationUrl(scene))).toMatchObject({ status: 'deactivated' });
  await http.settle();
  const after = {
    status: 'deactivated',
    deactivated_by: scene.userId,
    deactivated_at: instant,
    revocation: { completed: false, grants: null },
  };
  expect(await call(browser, 'GET', activationUrl(scene))).toMatchObject(after);
  expect(await itemOf(browser, scene)).toMatchObject(after);
});

test('DE-06: a repeated deactivation names the same event, and no numbers that it did not end', async () => {
  const { scene, browser } = await inUse(http);
  const first = await call(browser, 'DELETE', activationUrl(scene));
  const again = await call(browser, 'DELETE', activationUrl(scene));
  expect(again).toMatchObject({ epoch: 1, position: first['position'], live_grants: null, approvers: null });
});

test('DE-02: what the log says is right at once, also while the read models are away; their numbers are null', async () => {
  const scene = await setScene(http);
  const browser = await signedIn(http, scene);
  await whileAway(async () => {
    expect(await call(browser, 'PUT', activationUrl(scene))).toMatchObject({ status: 'active', epoch: 1 });
    expect(await call(browser, 'GET', activationUrl(scene))).toMatchObject({
      status: 'active',
      activated_by: scene.userId,
      activated_at: instant,
      ...unknown,
    });
    expect(await call(browser, 'DELETE', activationUrl(scene))).toMatchObject({ status: 'deactivated' });
    expect(await call(browser, 'GET', activationUrl(scene))).toMatchObject({
      status: 'deactivated',
      deactivated_by: scene.userId,
      revocation: { completed: false, grants: null },
    });
  });
});

test('the CLI acts as `operator`; before the first activation nothing is known, and nothing is hidden', async () => {
  const scene = await setScene(http);
  const browser = await signedIn(http, scene);
  expect(await call(browser, 'GET', activationUrl(scene))).toMatchObject({
    status: 'never-activated',
    epoch: 0,
    activated_by: null,
    revocation: null,
    live_grants: 0,
    scopes: [],
    approvals: [],
  });
  await activate(http, { ...scene, userId: 'break-glass' });
  expect(await call(browser, 'GET', activationUrl(scene))).toMatchObject({ activated_by: 'break-glass' });
});
