import { afterAll, expect, test } from 'vitest';
import type { RegisterAddon } from '../../../src/commands/addons/register-addon.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { polling } from '../../support/scenes/told-addons.ts';
import { valueOf } from '../../support/outcomes.ts';

const day = 86_400_000;
let later = 0;
const failing = new Set<string>();
const http = await startHttpApp({
  around: (needs) => ({
    ...needs,
    now: () => needs.now() + later,
    signalStreams: { ...needs.signalStreams, failingAmong: () => Promise.resolve(failing) },
  }),
});
afterAll(() => http.close());

/** An add-on that is active for an organization. */
const active = async (name: string, addon: Partial<RegisterAddon> = {}) => {
  const scene = await setScene(http, { name, ...addon });
  await activate(http, scene);
  return scene;
};
const pageOf = ({ organizationId, clientId }: Scene) =>
  `/admin/organizations/${organizationId}/addons/${clientId}`;

/** The lines of "Needs attention" on the administrator's home, and the page of the add-on. */
const seenBy = async (scene: Scene) => {
  await http.settle();
  await http.tellHistory();
  const browser = await signedIn(http, scene);
  const home = (await browser.get('/admin')).body;
  const [, lines = ''] = /id="attention"[^]*?<ul[^>]*>([^]*?)<\/ul>/.exec(home) ?? [];
  return { home, lines, page: (await browser.get(pageOf(scene))).body };
};

test('PG-06: the home says where set-up is not finished, and leads there; not where it is', async () => {
  const scene = await active('Tide Table');
  expect((await seenBy(scene)).lines).toMatch(
    new RegExp(`set-up is not finished for <a href="${pageOf(scene)}"><bdi[^>]*>Tide Table</bdi></a>\\.`),
  );
  await obtainTokens(http, scene, { subject: `organization:${scene.organizationId}` });
  const { lines, home } = await seenBy(scene);
  expect(lines).toBe('');
  expect(home).not.toContain('Needs attention');
});

test('PG-06: the home says whose grants were not used for 90 days, and leads to them; not before', async () => {
  const scene = await active('Berth Plan');
  await obtainTokens(http, scene, { subject: `organization:${scene.organizationId}` });
  expect((await seenBy(scene)).lines).not.toContain('not used');
  later = 91 * day;
  try {
    expect((await seenBy(scene)).lines).toContain(
      `grants were not used for 90 days: <a href="${pageOf(scene)}/grants">`,
    );
  } finally {
    later = 0;
  }
});

test('PG-06: the home counts failing signals and names the add-on; not those of another one', async () => {
  const [scene, other] = [await active('Pilot Log'), await active('Crane Log')];
  failing.add(scene.clientId);
  expect((await seenBy(scene)).lines).toMatch(/Pilot Log<\/bdi><\/a> cannot be notified/);
  expect((await seenBy(other)).lines).not.toContain('cannot be notified');
});

const looksLike = (name: string, { clientId }: Scene) =>
  `Its name looks like that of <bdi>${name}</bdi> (${clientId}).`;

test.each(['G\u0430ngway', 'Gangway'])(
  'PG-06: the home and the page of an add-on named %s name the older one that it looks like, unless that is retired; not the other way round (FX-54)',
  async (name) => {
    const older = await active('Gangway');
    const newer = await active(name);
    const { lines, page } = await seenBy(newer);
    expect(lines).toContain(`people could confuse <a href="${pageOf(newer)}">`);
    expect(page).toContain(looksLike('Gangway', older));
    const seen = await seenBy(older);
    expect(seen.lines + seen.page).not.toMatch(/confuse|looks like/);
    await http.commands.retireAddon({ addonId: older.clientId, by: newer.userId });
    expect((await seenBy(newer)).lines).not.toContain('confuse');
    await http.commands.retireAddon({ addonId: newer.clientId, by: newer.userId });
  },
);

test('FX-54: an add-on that was renamed looks like the one that had the name before, also if that is registered later', async () => {
  const renamed = await active('Breakwater');
  const named = await active('Jetty Log');
  valueOf(await http.commands.updateAddon({ addonId: renamed.clientId, name: 'Jetty Log' }));
  valueOf(
    await http.commands.updateAddon({ addonId: named.clientId, name: 'Jetty Log', publisher: 'Log Ltd' }),
  );
  await http.settle();
  expect((await seenBy(renamed)).page).toContain(looksLike('Jetty Log', named));
  expect((await seenBy(named)).page).not.toContain('looks like');
});

test('PG-06: so is an add-on that shows a publisher who does not look after it; not one of that publisher', async () => {
  const scene = await active('Sluice');
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Sluice Works' }));
  valueOf(await http.commands.updateAddon({ addonId: scene.clientId, publisher: 'Sluice Works' }));
  const { lines, page } = await seenBy(scene);
  expect(lines).toContain('people could confuse');
  expect(page).toContain(`<bdi>Sluice Works</bdi> (${publisherId}) is registered here.`);
  valueOf(await http.commands.updateAddon({ addonId: scene.clientId, publisherId }));
  expect((await seenBy(scene)).lines).not.toContain('confuse');
});

test('PG-06: the home and the add-on’s page tell what a partner changed in the last 30 days; not operators, not later', async () => {
  const scene = await active('Quay Key', { confidential: true });
  const email = 'mia@quay.example';
  const member = await createUser(http, email);
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Quay Ltd' }));
  const addonId = scene.clientId;
  valueOf(await http.commands.updateAddon({ addonId, publisherId }));
  valueOf(await http.commands.addPublisherMember({ publisherId, userId: member }));
  valueOf(await http.commands.addAddonSecret(addonId));
  const own = { addonId, member: { userId: member, byClaim: true } };
  valueOf(
    await http.commands.proposeAddonChange({ ...own, isFree: false, website: 'https://quay.example/' }),
  );
  const before = await seenBy(scene);
  expect(before.lines).not.toContain('publisher changed');
  expect(before.page).not.toContain('Changed by its publisher');

  const mia = await signedIn(http, { email });
  const [, remove = ''] =
    /href="([^"]*\/remove-secret[^"]*)"/.exec((await mia.get(`/publisher/addons/${addonId}`)).body) ?? [];
  expect((await mia.press(await mia.get(remove), 'Remove the secret')).statusCode).toBe(303);
  const addRedirectUris = ['https://quay.example/back'];
  valueOf(await http.commands.proposeAddonChange({ ...own, isFree: true, addRedirectUris }));
  const { lines, page } = await seenBy(scene);
  expect(lines).toContain(`in the last 30 days, the publisher changed <a href="${pageOf(scene)}">`);
  expect(page).toMatch(/Changed by its publisher<\/dt>\s*<dd>[^]*Its addresses[^]*Client secret removed/);
  expect(page).not.toContain('New client secret');
  later = 31 * day;
  try {
    expect((await seenBy(scene)).lines).not.toContain('publisher changed');
  } finally {
    later = 0;
  }
});

test('FX-57: what a partner did counts when its author has left, and when the add-on has gone to another publisher', async () => {
  const scene = await active('Lock Gate', { confidential: true });
  const addonId = scene.clientId;
  const { commands } = http;
  const [userId, operator] = [
    await createUser(http, 'leo@lock.example'),
    await createUser(http, 'both@lock.example', [], { roles: ['operator'] }),
  ];
  const [{ publisherId }, other] = [
    valueOf(await commands.createPublisher({ name: 'Lock Ltd' })),
    valueOf(await commands.createPublisher({ name: 'Weir Ltd' })),
  ];
  valueOf(await commands.updateAddon({ addonId, publisherId }));
  valueOf(await commands.addPublisherMember({ publisherId: other.publisherId, userId: operator }));
  const as = (actor: string) => ({ traceparent: '', acting: { actor, tokenId: null } });
  valueOf(await commands.addAddonSecret(addonId, as(operator)));
  expect((await seenBy(scene)).lines).not.toContain('publisher changed');
  valueOf(await commands.addPublisherMember({ publisherId, userId }));
  valueOf(await commands.addOwnAddonSecret({ addonId, member: { userId, byClaim: true } }, as(userId)));
  const changed = async () => {
    const { lines, page } = await seenBy(scene);
    return [lines.includes('publisher changed'), page.includes('New client secret')];
  };
  expect(await changed()).toEqual([true, true]);
  valueOf(await commands.removePublisherMember({ publisherId, userId }));
  expect(await changed()).toEqual([true, true]);
  valueOf(await commands.updateAddon({ addonId, publisherId: other.publisherId }));
  expect(await changed()).toEqual([true, true]);
});

test('PG-06: a partner’s new receiver of signals is told; one that was there at the activation is not', async () => {
  const scene = await setScene(http, { name: 'Hoist', confidential: true });
  const stream = { addonId: scene.clientId, caller: 'addon', configuration: polling } as const;
  const { streamId } = valueOf(await http.commands.createSignalStream(stream)).stream;
  await activate(http, scene);
  expect((await seenBy(scene)).page).not.toContain('Changed by its publisher');
  valueOf(
    await http.commands.changeSignalStream({ streamId, caller: 'addon', change: { description: 'B' } }),
  );
  const { lines, page } = await seenBy(scene);
  expect(lines).toContain('publisher changed');
  expect(page).toContain('Where and of what it is notified');
});

test('PG-08: the administrator’s page of an add-on says who offers it and whether it is verified, as the approval does', async () => {
  const scene = await active('Bollard');
  expect((await seenBy(scene)).page).toContain('Not verified by <bdi>Grantbook</bdi>');
  valueOf(
    await http.commands.updateAddon({ addonId: scene.clientId, verified: true, publisher: 'Iron Ltd' }),
  );
  const { page } = await seenBy(scene);
  expect(page).toContain('Verified by <bdi>Grantbook</bdi>');
  expect(page).not.toContain('Not verified');
  expect(page).toContain('by <strong><bdi>Iron Ltd</bdi></strong>');
});
