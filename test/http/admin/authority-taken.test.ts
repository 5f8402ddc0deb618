import { afterAll, describe, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  password,
  returned,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { testBrowser } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
afterAll(() => http.close());

const next = 'another battery staple';

describe('user set-password', () => {
  test('AM-01: ends every session and administrator token of the user at once, on every instance; the new password signs in, the old one does not', async () => {
    const email = 'changed@harbour.example';
    const userId = await createUser(http, email);
    const bystander = testBrowser(http.app);
    await createUser(http, 'bystander@harbour.example');
    await bystander.signIn('bystander@harbour.example', password);
    const apps = [http.app, http.another(undefined, 60_000), http.another(undefined, -60_000)];
    const browsers = apps.map((app) => testBrowser(app));
    for (const browser of browsers) await browser.signIn(email, password);
    const asked = { userId, organizationId: null, name: 'program', days: 1, by: userId };
    const { token } = valueOf(await http.commands.issueAdministratorToken(asked));
    expect(await http.commands.setPassword({ userId, password: next })).toMatchObject({ ok: true });
    for (const { cookies } of browsers)
      for (const app of apps)
        expect((await testBrowser(app, {}, cookies).get('/account')).headers.location).toContain('/sign-in?');
    expect(await http.commands.readAdministratorToken(token)).toMatchObject({ ok: false });
    expect(await http.commands.listAdministratorTokens(userId)).toEqual([]);
    expect((await bystander.get('/account')).statusCode).toBe(200);
    for (const app of apps) {
      const browser = testBrowser(app);
      await expect(browser.signIn(email, password)).rejects.toThrow('401');
      await browser.signIn(email, next);
      expect((await browser.get('/account')).statusCode).toBe(200);
    }
  });

  test('a sign-in that has just seen the old password when it changes opens nothing', async () => {
    const email = 'racing@harbour.example';
    const userId = await createUser(http, email);
    const meanwhile = http.another((needs) => ({
      ...needs,
      commands: {
        ...needs.commands,
        signIn: async (...given) => {
          const outcome = needs.commands.signIn(...given);
          await http.commands.setPassword({ userId, password: next });
          return outcome;
        },
      },
    }));
    const browser = testBrowser(meanwhile);
    await browser.signIn(email, password).catch(() => undefined);
    expect((await browser.get('/account')).headers.location).toContain('/sign-in?');
  });

  test('is refused for nobody, for who was erased, and for what is no password', async () => {
    const set = (userId: string, chosen: string) => http.commands.setPassword({ userId, password: chosen });
    const userId = await createUser(http, 'short@harbour.example');
    expect(await set('nobody', next)).toEqual({ ok: false, refusal: 'user-unknown' });
    expect(await set('01K9RZ3Q5V0000000000000001', next)).toEqual({ ok: false, refusal: 'user-unknown' });
    expect(await set(userId, 'short')).toMatchObject({ ok: false, problems: [{ field: 'password' }] });
  });
});

describe('organization remove-administrator', () => {
  const scene = async () => {
    const theirs = await setScene(http);
    const { organizationId, userId, email } = theirs;
    const own = valueOf(await http.commands.createOrganization({ name: 'Their other one' })).organizationId;
    valueOf(await http.commands.addAdministrator({ organizationId: own, userId }));
    const token = async (of: string | null, name: string) =>
      valueOf(
        await http.commands.issueAdministratorToken({
          userId,
          organizationId: of,
          name,
          days: 1,
          by: userId,
        }),
      ).token;
    const browser = await signedIn(http, { email });
    const tokens = { bound: await token(organizationId, 'bound'), forAll: await token(null, 'for all') };
    return { organizationId, userId, own, browser, ...tokens };
  };
  const elsewhere = http.another();
  const statusWith = async (token: string, organizationId: string) =>
    (
      await elsewhere.inject({
        url: `/organizations/${organizationId}/addons`,
        headers: { authorization: `Bearer ${token}` },
      })
    ).statusCode;

  test('permanently ends the tokens for the organization, and a session administers it no more, once the call has returned', async () => {
    const { organizationId, userId, own, browser, bound, forAll } = await scene();
    const ids = { organizationId, userId };
    expect(await statusWith(bound, organizationId)).toBe(200);
    expect(await http.commands.removeAdministrator({ ...ids, force: true })).toMatchObject({
      ok: true,
      value: { changed: true },
    });
    expect(await statusWith(bound, organizationId)).toBe(401);
    expect(await statusWith(forAll, organizationId)).toBe(403);
    expect(await statusWith(forAll, own)).toBe(200);
    expect((await browser.get(`/organizations/${organizationId}/addons`)).statusCode).toBe(403);
    expect((await browser.get(`/organizations/${own}/addons`)).statusCode).toBe(200);
    expect((await http.commands.listAdministratorTokens(userId)).map(({ name }) => name)).toEqual([
      'for all',
    ]);
    valueOf(await http.commands.addAdministrator(ids));
    expect(await statusWith(bound, organizationId)).toBe(401);
    expect(await statusWith(forAll, organizationId)).toBe(200);
  });

  test('repeated, it changes nothing, and ends what a crash has left', async () => {
    const { organizationId, userId, bound } = await scene();
    const { store } = http;
    const stream = `organization-${organizationId}` as const;
    const { revision } = await store.read(stream);
    const left = { type: 'AdministratorRemoved', data: { userId, source: null, at: 1 } } as const;
    await store.append(stream, revision, [{ event: left }]);
    expect(await statusWith(bound, organizationId)).toBe(403);
    expect(await http.commands.removeAdministrator({ organizationId, userId, force: true })).toMatchObject({
      ok: true,
      value: { changed: false },
    });
    expect(await statusWith(bound, organizationId)).toBe(401);
    const refused = (refusal: string) => ({ ok: false, refusal });
    expect(await http.commands.removeAdministrator({ organizationId, userId: 'nobody' })).toEqual(
      refused('user-unknown'),
    );
    expect(await http.commands.removeAdministrator({ organizationId: 'nowhere', userId })).toEqual(
      refused('organization-unknown'),
    );
  });

  test('an approval and an activation that were admitted just before are refused, and leave nothing behind', async () => {
    const { organizationId, userId, clientId, email } = await setScene(http);
    await activate(http, { organizationId, userId, clientId, email, clientSecret: null });
    const ids = { organizationId, userId };
    const remove = () => http.commands.removeAdministrator({ ...ids, force: true });
    const meanwhile = http.another((needs) => ({
      ...needs,
      commands: {
        ...needs.commands,
        issueCode: async (...given) => remove().then(() => needs.commands.issueCode(...given)),
        activateAddon: async (...given) => remove().then(() => needs.commands.activateAddon(...given)),
      },
    }));
    const browser = testBrowser(meanwhile);
    await browser.signIn(email, password);
    const allowed = await browser.press(await browser.get(authorizeUrl({ clientId })), 'Allow');
    expect(returned(allowed)).toMatchObject({ error: 'access_denied' });
    await http.settle();
    const [ended] = await http.readModels.grants(
      { about: { kind: 'user', id: userId } },
      { after: null, limit: 1 },
    );
    const { events } = await http.store.read(`grant-${ended?.grantId ?? ''}`);
    expect(events.at(-1)?.event.data, 'FX-33: the true reason').toMatchObject({ reason: 'role-lost' });
    valueOf(await http.commands.addAdministrator(ids));
    const { token } = valueOf(
      await http.commands.issueAdministratorToken({ ...ids, name: 'program', days: 1, by: userId }),
    );
    valueOf(await http.commands.deactivateAddon({ organizationId, addonId: clientId, by: userId }));
    const activated = await meanwhile.inject({
      method: 'PUT',
      url: `/organizations/${organizationId}/addons/${clientId}/activation`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect([activated.statusCode, activated.json<{ type: string }>().type]).toEqual([
      403,
      expect.stringContaining('not-an-administrator'),
    ]);
    expect((await http.commands.showActivation(organizationId, clientId)).status).toBe('deactivated');
  });
});
