import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  listWith,
  obtainCode,
  obtainTokens,
  password,
  refreshWith,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { words } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

const http = await startHttpApp();
const scene = await setScene(http, { name: 'Door Sync' });
afterAll(() => http.close());

const browserOf = (email: string) => signedIn(http, { email });

let people = 0;
const visitor = async () => {
  people += 1;
  const email = `visitor${people}@account.example`;
  const userId = await createUser(http, email);
  return { email, userId, browser: await browserOf(email) };
};

const withdrawUrl = (of: Scene) => `/account/addons/${of.clientId}/withdraw`;
const shown = async (browser: Awaited<ReturnType<typeof signedIn>>) => {
  await http.settle();
  return words((await browser.get('/account')).body);
};

describe('the account page', () => {
  test('lists the add-ons that may see the own records: with what, since when, and when they last renewed it', async () => {
    const { email, userId, browser } = await visitor();
    expect(await shown(browser)).toContain('None. When you allow an add-on');
    const today = 'today \\d\\d:\\d\\d';
    await obtainCode(http, { ...scene, email }, { browser, change: { scope: 'profiles:read' } });
    expect(await shown(browser)).toMatch(
      new RegExp(`D Door Sync Sees your profile ${today} Never used ⋯ Withdraw`),
    );
    const flow = { browser, change: { scope: 'access-rights:read' } };
    const { refresh_token } = await obtainTokens(http, { ...scene, email }, flow);
    const seen = 'Sees (your access rights, your profile|your profile, your access rights)';
    expect(await shown(browser)).toMatch(new RegExp(`${seen} ${today} ${today} ⋯`));
    await refreshWith(http, scene, refresh_token);
    expect(await shown(browser)).toMatch(new RegExp(`${seen} ${today} ${today} ⋯`));
    const [addon] = await http.readModels.addonsApprovedBy(userId);
    const approval = (await http.commands.ownApprovals(userId, [scene.clientId])).get(scene.clientId);
    expect(addon?.addonId).toBe(scene.clientId);
    expect(addon?.renewedAt).toMatch(/Z$/);
    expect(Date.parse(addon?.renewedAt ?? '')).toBeGreaterThanOrEqual(approval?.at ?? Infinity);
  });

  test('shows nothing of other people, and nothing of what was allowed for an organization', async () => {
    const theirs = await setScene(http, { name: 'Tide Clock' });
    await activate(http, theirs);
    const browser = await browserOf(theirs.email);
    await obtainCode(http, theirs, { browser, subject: `organization:${theirs.organizationId}` });
    const stranger = await visitor();
    await obtainCode(http, { ...theirs, email: stranger.email }, { browser: stranger.browser });
    expect(await shown(browser)).not.toContain('Tide Clock');
    expect(await shown(stranger.browser)).toContain('Tide Clock');
  });

  test('AC-05, P1: withdrawing is confirmed first, ends the tokens at once, and is asked for again next time', async () => {
    const { email, browser } = await visitor();
    const mine = { ...scene, email };
    const tokens = await obtainTokens(http, mine, { browser });
    await http.settle();
    const page = await browser.get('/account');
    expect(page.body).toContain(`href="${withdrawUrl(scene)}"`);
    const confirm = await browser.get(withdrawUrl(scene));
    expect(words(confirm.body)).toContain('Withdraw the access of Door Sync ?');
    expect((await listWith(http, '/profiles', tokens.access_token)).statusCode).toBe(200);
    const done = await browser.press(confirm, 'Withdraw');
    expect([done.statusCode, done.headers.location]).toEqual([303, `/account?withdrawn=${scene.clientId}`]);
    const after = await browser.follow(done);
    expect(words(after.body)).toContain('Withdrawn: Door Sync can no longer see your own records.');
    expect(after.body).toMatch(/role="status"/);
    expect(words(after.body)).toContain('None. When you allow');
    expect((await listWith(http, '/profiles', tokens.access_token)).statusCode).toBe(401);
    expect((await refreshWith(http, scene, tokens.refresh_token)).json().error).toBe('invalid_grant');
    expect((await browser.get(authorizeUrl(scene))).body).toContain('Allow <bdi>Door Sync</bdi>?');
  });

  test('P1: what a disabling ended, or was approved too late, is not listed as allowed', async () => {
    const { email, userId, browser } = await visitor();
    const { clientId: addonId } = scene;
    await obtainCode(http, { ...scene, email }, { browser });
    const { subject } = await http.commands.ownConsent({ userId, addonId });
    await http.commands.disableUser(userId);
    await http.commands.enableUser(userId);
    const again = await browserOf(email);
    expect(await shown(again)).toContain('None. When you allow');
    // An approval that was under way when its epoch ended.
    await http.commands.approveScopes({ userId, addonId, subject, scopes: ['profiles:read'] });
    expect(await shown(again)).toContain('None. When you allow');
    await obtainCode(http, { ...scene, email }, { browser: again });
    expect(await shown(again)).toContain('Door Sync Sees');
  });

  test('AZ-40: without the form of this session nothing is withdrawn', async () => {
    const { email, browser, userId } = await visitor();
    await obtainCode(http, { ...scene, email }, { browser });
    await http.settle();
    const stranger = await visitor();
    await obtainCode(http, { ...scene, email: stranger.email }, { browser: stranger.browser });
    await http.settle();
    const theirs =
      /name="csrf" value="([^"]+)"/.exec((await stranger.browser.get('/account')).body)?.[1] ?? '';
    for (const csrf of ['', 'A'.repeat(43), theirs])
      expect((await browser.post(withdrawUrl(scene), { csrf })).statusCode).toBe(403);
    expect((await http.commands.ownApprovals(userId, [scene.clientId])).size).toBe(1);
  });

  test('what was never allowed, or is no add-on, cannot be withdrawn; the message tells nothing untrue', async () => {
    const { browser, email } = await visitor();
    const nobody = '01JZZZZZZZZZZZZZZZZZZZZZZX';
    for (const id of [scene.clientId, nobody, 'x'])
      expect((await browser.get(`/account/addons/${id}/withdraw`)).statusCode).toBe(404);
    const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/account')).body)?.[1] ?? '';
    for (const id of [nobody, 'x'])
      expect((await browser.post(`/account/addons/${id}/withdraw`, { csrf })).statusCode).toBe(404);
    await obtainCode(http, { ...scene, email }, { browser });
    await http.settle();
    for (const id of [scene.clientId, nobody, 'x', '%22%3E%3Cscript%3E'])
      expect((await browser.get(`/account?withdrawn=${id}`)).body).not.toContain('role="status"');
  });

  test('"Not you?" leads to the sign-in of somebody else, who comes to the own page', async () => {
    const { browser } = await visitor();
    const another = await visitor();
    const form = await browser.follow(await browser.press(await browser.get('/account'), 'Not you?'));
    const next = await browser.press(form, 'Sign in', { email: another.email, password });
    expect(next.headers.location).toBe('/account');
    expect(words((await browser.follow(next)).body)).toContain(another.email);
  });

  test('signing out goes nowhere else than to an own page', async () => {
    for (const return_to of ['https://evil.example', '//evil.example', '/\\evil.example', '']) {
      const { browser } = await visitor();
      const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/account')).body)?.[1] ?? '';
      const answer = await browser.post('/sign-out', { csrf, return_to });
      expect(answer.headers.location).toBe('/sign-out');
    }
  });
});

test('FX-82: what an add-on may see is listed and withdrawn by the log, also while the read model cannot take it', async () => {
  expectTrouble(/^error: consents cannot apply .* its key is parked/);
  const unable = (projection: Projection): Projection =>
    projection.name !== 'consents'
      ? projection
      : {
          ...projection,
          begin: () => ({
            apply: () => {
              throw new Error('as if its table did not take it');
            },
            write: () => Promise.resolve(),
          }),
        };
  const parking = await startHttpApp({ projector: { projections: readModelProjections.map(unable) } });
  onTestFinished(() => parking.close());
  const doors = await setScene(parking, { name: 'Door Sync' });
  const browser = await signedIn(parking, doors);
  const account = async () => {
    await parking.settle();
    return words((await browser.get('/account')).body);
  };
  expect(await account()).toContain('None. When you allow an add-on');
  await obtainCode(parking, doors, { browser, change: { scope: 'access-rights:read' } });
  const { access_token } = await obtainTokens(parking, doors, {
    browser,
    change: { scope: 'profiles:read' },
  });
  const { rows } = await parking.pool.query('select from parked_events');
  expect(rows.length).toBeGreaterThan(1);
  expect(await account()).toMatch(
    /Door Sync Sees (your access rights, your profile|your profile, your access rights) today/,
  );
  const done = await browser.press(await browser.get(withdrawUrl(doors)), 'Withdraw');
  expect(words((await browser.follow(done)).body)).toContain('Withdrawn: Door Sync can no longer see');
  expect(await account()).toContain('None. When you allow an add-on');
  expect((await listWith(parking, '/profiles', access_token)).statusCode).toBe(401);
  await obtainCode(parking, doors, { browser });
  expect(await account()).toContain('Door Sync Sees');
});
