import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { activationStream, organizationStream } from '../../../../src/domain/streams.ts';
import { admin } from '../../../../src/http/admin/plugin.ts';
import { lists } from '../../../../src/http/lists/lists.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  deactivate,
  exchange,
  listWith,
  password,
  returned,
  setScene,
  signedIn,
  type Scene,
  type Tokens,
} from '../../../support/scenes/http-scene.ts';
import { formsOf, testBrowser, words, type TestBrowser } from '../../../support/scenes/pages.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { valueOf } from '../../../support/outcomes.ts';

const http = await startPlugins([admin, authorize, lists, session, tokenEndpoints]);
afterAll(() => http.close());

type Change = Readonly<Record<string, string>>;

/** Another organization of the same name; with the scene's administrator, or nobody's. */
const addOrganization = async (scene: Scene, isAdministered: boolean): Promise<Scene> => {
  const { name } = (await http.parts.readModels.organization(scene.organizationId)) ?? { name: '' };
  const { organizationId } = valueOf(await http.commands.createOrganization({ name }));
  const { userId } = scene;
  if (isAdministered) await http.commands.addAdministrator({ organizationId, userId });
  return { ...scene, organizationId };
};

const keyOf = ({ organizationId }: Scene) => `organization:${organizationId}`;
/** What a page offers: the only subject, or those to choose from. */
const offered = ({ body }: LightMyRequestResponse): readonly string[] => {
  const [form] = formsOf(body);
  return form?.choices['subject'] ?? [form?.fields['subject'] ?? ''];
};
/** Of the code with which the browser was sent back. */
const subjectOf = async (scene: Scene, answer: LightMyRequestResponse) => {
  const { code = '', error } = returned(answer);
  if (error !== undefined) return error;
  const { access_token } = (await exchange(http, scene, code)).json<Tokens>();
  const { type, id } = (await listWith(http, '/grant', access_token)).json<{
    subject: { type: string; id: string };
  }>().subject;
  return type === 'user' ? 'user' : `organization:${id}`;
};

/** Of one administrator. */
const twoActiveOrganizations = async (): Promise<readonly [Scene, Scene]> => {
  const first = await setScene(http);
  const second = await addOrganization(first, true);
  for (const each of [first, second]) await activate(http, each);
  return [first, second];
};

let first: Scene;
let second: Scene;
let browser: TestBrowser;
const begin = async () => {
  [first, second] = await twoActiveOrganizations();
  browser = await signedIn(http, first);
};
const ask = (change: Change) => browser.get(authorizeUrl(first, change));

describe('AP-03: only the subject that is asked for is offered', () => {
  beforeAll(async () => {
    await begin();
    const { organizationId } = second;
    await http.commands.updateOrganization({ organizationId, externalId: 'Häfen/2' });
  });

  test('without a selection every one of them is', async () => {
    expect([...offered(await ask({}))].sort()).toEqual([keyOf(first), keyOf(second), 'user'].sort());
  });

  test('an organization, by its id and by its external id, in any form of Unicode', async () => {
    const { organizationId } = first;
    expect(offered(await ask({ organization: organizationId }))).toEqual([keyOf(first)]);
    expect(offered(await ask({ organization: organizationId, subject: 'organization' }))).toEqual([
      keyOf(first),
    ]);
    for (const form of ['NFC', 'NFD'])
      expect(offered(await ask({ organization: `external:Häfen/2`.normalize(form) }))).toEqual([
        keyOf(second),
      ]);
    const page = await ask({ organization: 'external:Häfen/2' });
    expect(await subjectOf(first, await browser.press(page, 'Allow'))).toBe(keyOf(second));
  });

  test('the user’s own records, or any organization', async () => {
    const page = await ask({ subject: 'user' });
    expect(offered(page)).toEqual(['user']);
    expect(page.body).not.toContain('Not offered');
    expect(await subjectOf(first, await browser.press(page, 'Allow'))).toBe('user');
    expect([...offered(await ask({ subject: 'organization' }))].sort()).toEqual(
      [keyOf(first), keyOf(second)].sort(),
    );
  });

  test('also after the sign-in, and when the request was a form', async () => {
    const stranger = testBrowser(http.app);
    const url = authorizeUrl(first, { organization: first.organizationId });
    const fields = Object.fromEntries(new URL(url, http.baseUrl).searchParams);
    const signIn = await stranger.follow(await stranger.post('/oauth/authorize', fields));
    const page = await stranger.follow(
      await stranger.press(signIn, 'Sign in', { email: first.email, password }),
    );
    expect(offered(page)).toEqual([keyOf(first)]);
  });

  test('a form that approves another one than was asked for is refused', async () => {
    for (const subject of [keyOf(second), 'user']) {
      const page = await ask({ organization: first.organizationId, prompt: 'consent' });
      expect(returned(await browser.press(page, 'Allow', { subject }))).toMatchObject({
        error: 'access_denied',
      });
    }
    const own = await ask({ subject: 'user', prompt: 'consent' });
    expect(returned(await browser.press(own, 'Allow', { subject: keyOf(first) }))).toMatchObject({
      error: 'access_denied',
    });
  });

  test('an external id that has become another organization’s meanwhile approves nothing', async () => {
    const scene = await setScene(http);
    await activate(http, scene);
    const other = await addOrganization(scene, true);
    await activate(http, other);
    const [{ organizationId: a }, { organizationId: b }] = [scene, other];
    await http.commands.updateOrganization({ organizationId: a, externalId: 'moving' });
    const own = await signedIn(http, scene);
    const page = await own.get(authorizeUrl(scene, { organization: 'external:moving' }));
    expect(offered(page)).toEqual([keyOf(scene)]);
    await http.commands.updateOrganization({ organizationId: a, externalId: 'moved' });
    valueOf(await http.commands.updateOrganization({ organizationId: b, externalId: 'moving' }));
    expect(returned(await own.press(page, 'Allow'))).toMatchObject({ error: 'access_denied' });
    const next = await own.get(authorizeUrl(scene, { organization: 'external:moving' }));
    expect(offered(next)).toEqual([keyOf(other)]);
  });
});

describe('AP-03: a remembered approval is that of the selected subject', () => {
  beforeAll(begin);
  const silently = async (change: Change) => subjectOf(first, await ask({ ...change, prompt: 'none' }));
  const named = ({ organizationId }: Scene) => ({ organization: organizationId });

  test('what was allowed for oneself gives nothing of an organization, and the other way round', async () => {
    await browser.press(await ask({}), 'Allow', { subject: 'user' });
    expect(await silently({})).toBe('user');
    expect(await silently({ subject: 'user' })).toBe('user');
    for (const change of [named(first), named(second), { subject: 'organization' }])
      expect(await silently(change)).toBe('consent_required');
    expect(offered(await ask(named(first)))).toEqual([keyOf(first)]);
  });

  test('the selected one needs no page, whatever else the user could choose', async () => {
    await browser.press(await ask(named(first)), 'Allow');
    expect(await silently(named(first))).toBe(keyOf(first));
    expect(await subjectOf(first, await ask(named(first)))).toBe(keyOf(first));
    expect(await silently(named(second))).toBe('consent_required');
    expect(await silently({ subject: 'user' })).toBe('user');
  });

  test('FX-22: where nothing is selected, an approval without a choice is not one among several', async () => {
    await browser.press(await ask(named(second)), 'Allow');
    expect(await silently(named(second))).toBe(keyOf(second));
    expect(await silently({ subject: 'organization' })).toBe('interaction_required');
    expect(offered(await ask({}))).toHaveLength(3);
  });

  test('AZ-37: of the selected one, a scope that was not allowed is asked for', async () => {
    const narrow = { organization: second.organizationId, scope: 'profiles:read' };
    expect(await silently(narrow)).toBe(keyOf(second));
    const other = await signedIn(http, first);
    await deactivate(http, second);
    await activate(http, second);
    const asked = await other.get(authorizeUrl(first, { ...narrow, prompt: 'none' }));
    expect(returned(asked)['error']).toBe('consent_required');
  });
});

describe('AP-03: a subject that the user cannot decide for', () => {
  let scene: Scene;
  let browser: TestBrowser;
  const organizations: Record<string, string> = {};
  beforeAll(async () => {
    scene = await setScene(http, { name: 'Tide & Table' });
    await activate(http, scene);
    browser = await signedIn(http, scene);
    const [closed, inactive, ended, foreign] = [
      await addOrganization(scene, true),
      await addOrganization(scene, true),
      await addOrganization(scene, true),
      await setScene(http),
    ];
    const active = { ...foreign, clientId: scene.clientId };
    for (const each of [closed, ended, active]) await activate(http, each);
    for (const [each, name] of [
      [closed, 'Closed Quay'],
      [inactive, 'Inactive Quay'],
      [ended, 'Ended Quay'],
      [foreign, 'Foreign Quay'],
    ] as const)
      await http.commands.updateOrganization({ organizationId: each.organizationId, name });
    valueOf(await http.commands.closeOrganization({ organizationId: closed.organizationId }));
    await deactivate(http, ended);
    const namesake = await addOrganization(scene, false);
    await activate(http, { ...namesake, userId: foreign.userId });
    await http.commands.updateOrganization({ organizationId: foreign.organizationId, externalId: 'foreign' });
    Object.assign(organizations, {
      unknown: '01JZZZZZZZZZZZZZZZZZZZZZZX',
      'unknown, by external id': 'external:<b>no</b> "one"',
      'not administered': foreign.organizationId,
      'not administered, by external id': 'external:foreign',
      'not administered, of the same name': namesake.organizationId,
      closed: closed.organizationId,
      'never activated': inactive.organizationId,
      'deactivated again': ended.organizationId,
    });
  });
  const ask = (organization: string, change: Change = {}) =>
    browser.get(authorizeUrl(scene, { organization, ...change }));

  const says = {
    unknown: 'the organization 01JZZZZZZZZZZZZZZZZZZZZZZX . There is no such organization here.',
    'unknown, by external id': 'the organization &lt;b&gt;no&lt;/b&gt; &quot;one&quot; . There is no such',
    'not administered': 'You do not administer it, so you cannot decide for it.',
    'not administered, by external id': 'the organization foreign . You do not administer it',
    'not administered, of the same name': 'You do not administer it, so you cannot decide for it.',
    closed: 'the organization Closed Quay . It is closed',
    'never activated': 'the organization Inactive Quay . The add-on is not active for it.',
    'deactivated again': 'the organization Ended Quay . The add-on is not active for it.',
  } as const;

  test.each(Object.entries(says))('%s: the page says so, and its button is a denial', async (which, text) => {
    const page = await ask(organizations[which] ?? '');
    expect(page.statusCode).toBe(403);
    expect(words(page.body)).toContain(text);
    expect(words(page.body)).toContain('Nothing was shared.');
    const namesIt = ['Quay', 'Harbour'].some((name) => page.body.includes(name));
    expect(namesIt).toBe(!/^(unknown|not)/.test(which));
    expect(returned(await browser.press(page, 'Back to addon.example'))).toEqual({
      x: '1',
      error: 'access_denied',
      error_description: 'the user did not allow it',
      state: 'st+&=%#',
      iss: http.baseUrl,
    });
  });

  test('to the add-on all of them look alike, as does a denial', async () => {
    const denial = await browser.press(await ask(scene.organizationId), 'Do not allow');
    const [silently, byHand] = [new Set<string>(), new Set([String(denial.headers.location)])];
    for (const organization of Object.values(organizations)) {
      const page = await ask(organization);
      byHand.add(String((await browser.press(page, 'Back to addon.example')).headers.location));
      const silent = await ask(organization, { prompt: 'none' });
      expect(returned(silent)['error']).toBe('access_denied');
      silently.add(String(silent.headers.location));
    }
    expect([silently.size, byHand.size]).toEqual([1, 1]);
  });

  test('the same is read for each of them, so the time of the answer tells nothing', async () => {
    const readFor = async (organization: string) => {
      const read = vi.spyOn(http.store, 'read');
      await ask(organization, { prompt: 'none' });
      const streams = read.mock.calls.map(([stream]) => stream.replace(/-.*/s, ''));
      read.mockRestore();
      return streams.sort().join(' ');
    };
    const always = 'account activation organization organization session';
    for (const organization of Object.values(organizations)) {
      const isExternal = organization.startsWith('external:');
      expect(await readFor(organization)).toBe(
        isExternal ? always.replace('organization', 'externalId organization') : always,
      );
    }
  });

  test('a form of that page that approves something approves nothing', async () => {
    for (const [which, subject] of [
      ['closed', `organization:${organizations['closed']}`],
      ['not administered', `organization:${organizations['not administered']}`],
      ['not administered', keyOf(scene)],
      ['unknown', 'user'],
    ] as const) {
      const page = await ask(organizations[which] ?? '');
      const { interaction = '' } = formsOf(page.body)[0]?.fields ?? {};
      const answer = await browser.post('/oauth/authorize/decision', {
        interaction,
        decision: 'approve',
        subject,
      });
      expect(returned(answer)['error']).toBe('access_denied');
    }
  });

  test('the administrator may sign in from there with "Not you?"', async () => {
    const email = 'visitor@select.example';
    await createUser(http, email);
    const own = await signedIn(http, { email });
    const page = await own.get(authorizeUrl(scene, { organization: scene.organizationId }));
    expect([page.statusCode, page.body.includes(scene.organizationId)]).toEqual([403, true]);
    const signIn = await own.follow(await own.press(page, 'Not you?'));
    const next = await own.follow(await own.press(signIn, 'Sign in', { email: scene.email, password }));
    expect(offered(next)).toEqual([keyOf(scene)]);
  });

  test('who administers no organization cannot decide for any', async () => {
    const email = 'nobody@select.example';
    await createUser(http, email);
    const own = await signedIn(http, { email });
    const page = await own.get(authorizeUrl(scene, { subject: 'organization' }));
    expect(words(page.body)).toContain('you administer none for which it is active');
    expect(returned(await own.press(page, 'Back to addon.example'))['error']).toBe('access_denied');
    const silent = await own.get(authorizeUrl(scene, { subject: 'organization', prompt: 'none' }));
    expect(returned(silent)['error']).toBe('access_denied');
  });

  test('AZ-23: an administrator who saw it is recorded where the add-on was deactivated, and nothing else is written', async () => {
    const { clientId: addonId } = scene;
    const refusals = async (which: string) => {
      const { events } = await http.store.read(activationStream(organizations[which] ?? '', addonId));
      return events.filter(({ event }) => event.type === 'AuthorizationRefused').length;
    };
    for (const which of ['unknown', 'not administered', 'closed', 'never activated', 'deactivated again'])
      await ask(organizations[which] ?? '');
    expect(await refusals('deactivated again')).toBe(1);
    for (const which of ['unknown', 'not administered', 'never activated'])
      expect([which, await refusals(which)]).toEqual([which, 0]);
    const unknown = await http.store.read(organizationStream(organizations['unknown'] ?? ''));
    expect(unknown.revision).toBe('no-stream');
  });
});

describe('AP-03: after an activation', () => {
  const activateByHand = async (browser: TestBrowser, { organizationId, clientId }: Scene) => {
    const page = await browser.get(`/admin/organizations/${organizationId}`);
    const form = formsOf(page.body).find(({ action }) => action.endsWith(`/addons/${clientId}/activate`));
    return browser.post(form?.action ?? '', form?.fields ?? {});
  };

  test('AC-01: the add-on is told the organization, and may pass it on', async () => {
    const scene = await setScene(http);
    const browser = await signedIn(http, scene);
    const { location = '' } = (await activateByHand(browser, scene)).headers;
    const told = new URL(location).searchParams;
    expect([...told.keys()]).toEqual(['from', 'activation_hint', 'organization']);
    expect(told.get('organization')).toBe(scene.organizationId);
    const organization = told.get('organization') ?? '';
    const page = await browser.get(authorizeUrl(scene, { organization }));
    expect(offered(page)).toEqual([keyOf(scene)]);
    expect(await subjectOf(scene, await browser.press(page, 'Allow'))).toBe(keyOf(scene));
  });

  test('a selection counts, and not which one was just activated', async () => {
    const scene = await setScene(http);
    const other = await addOrganization(scene, true);
    await activate(http, other);
    const browser = await signedIn(http, scene);
    await activateByHand(browser, scene);
    const ask = (change: Change) => browser.get(authorizeUrl(scene, change));
    expect(offered(await ask({ organization: other.organizationId }))).toEqual([keyOf(other)]);
    expect(offered(await ask({ subject: 'user' }))).toEqual(['user']);
    expect(offered(await ask({ subject: 'organization' }))[0]).toBe(keyOf(scene));
    await deactivate(http, scene);
    expect(offered(await ask({ organization: other.organizationId }))).toEqual([keyOf(other)]);
    expect(words((await ask({ subject: 'organization' })).body)).toContain(
      'The add-on is not active for it.',
    );
    expect(returned(await ask({}))['error']).toBe('access_denied');
  });
});
