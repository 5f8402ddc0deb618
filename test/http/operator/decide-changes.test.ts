import { afterAll, describe, expect, test } from 'vitest';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, publish, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { formsOf } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
afterAll(() => http.close());
const operator = await createUser(http, 'olive@example.com', [], { name: 'Olive', roles: ['operator'] });
const olive = await signedIn(http, { email: 'olive@example.com' });
const { commands } = http;
const evil = 'https://evil.example/callback';

/** A proposal, and where operators decide on it. */
const proposal = async () => {
  const { clientId, userId } = await setScene(http, { confidential: true });
  await publish(http, clientId, userId);
  await http.settle();
  const request = { addonId: clientId, member: { userId, byClaim: true }, isFree: false };
  const proposed = { addRedirectUris: [evil], website: 'https://doors.example/' };
  const { change } = valueOf(await commands.proposeAddonChange({ ...request, ...proposed }));
  const { changeId } = change;
  const here = `/operator/addons/${clientId}`;
  const approval = `${here}/approve-change?change=${changeId}`;
  const shown = async () =>
    (await commands.listAddonChanges(clientId))?.find((one) => one.changeId === changeId);
  return { clientId, userId, changeId, here, approval, shown };
};

describe('FX-94: an operator', () => {
  test('comes from the list of changes to each, and sees it whole: who proposed it, each field before and after, and a new host', async () => {
    const { here, approval, userId, clientId } = await proposal();
    for (const url of [`${here}/changes`, here]) {
      const leading = (await olive.get(url)).body;
      expect(leading).toContain(`href="${approval}"`);
      expect(leading).toContain(`href="${approval.replace('approve', 'refuse')}"`);
    }
    const { body } = await olive.get(approval);
    expect(body).toMatch(/<dt>Proposed by<\/dt>\s*<dd><a href="\/operator\/users\/\w+">/);
    expect(body).toContain(`/operator/users/${userId}`);
    const [, before = ''] = /Redirect URIs<\/th><td>([^]*?)<\/td>/.exec(body) ?? [];
    expect(before).toContain('https://addon.example/cb?x=1');
    expect(before).not.toContain(evil);
    expect(body).toMatch(new RegExp(`${evil}</bdi></ins> <span class="tag [a-z]+">New host`));
    expect(body).toContain('https://doors.example/');
    expect(body).not.toMatch(
      /<(?:input|select)[^>]*(?:type="text")?[^>]* id="approve-change-(?:change|revision)"/,
    );
    expect(clientId).not.toBe('');
  });

  test('approves what the page showed, once; who approved it is shown then', async () => {
    const { approval, shown } = await proposal();
    const [page, other] = [await olive.get(approval), await olive.get(approval)];
    const done = await olive.press(page, 'Approve the change');
    expect([done.statusCode, await shown()]).toMatchObject([303, { state: 'approved', decidedBy: operator }]);
    const after = (await olive.follow(done)).body;
    expect(after).toContain('Done: approve a change');
    expect(after).toMatch(/>Approved by<[^]*Olive<\/bdi><\/a><\/td>/);
    expect((await olive.press(page, 'Approve the change')).headers.location).toBe(done.headers.location);
    const again = await olive.press(other, 'Approve the change');
    expect(again.statusCode).toBe(409);
    expect(again.body).toMatch(/approved, refused or withdrawn[^]*<dt>Approved by<\/dt>/);
    expect(formsOf(again.body).map(({ action }) => action)).not.toContain(approval.split('?')[0]);
  });

  test('is shown the change again where it has changed since, and approves that', async () => {
    const { approval, clientId, shown } = await proposal();
    const page = await olive.get(approval);
    const other = 'https://third.example/callback';
    valueOf(await commands.updateAddon({ addonId: clientId, addRedirectUris: [other] }));
    const refused = await olive.press(page, 'Approve the change');
    expect([refused.statusCode, await shown()]).toMatchObject([409, { state: 'waiting' }]);
    expect(refused.body).toContain(other);
    expect(refused.body).toContain('not what you have seen');
    expect((await olive.press(refused, 'Approve the change')).statusCode).toBe(303);
    expect(await shown()).toMatchObject({ state: 'approved' });
  });

  test.each([
    ['without the revision', (fields: URLSearchParams) => fields.delete('revision')],
    ['with another revision', (fields: URLSearchParams) => fields.set('revision', 'x')],
    ['with the id of another change', (fields: URLSearchParams) => fields.set('change', 'x'.repeat(26))],
    ['with the id of no change', (fields: URLSearchParams) => fields.delete('change')],
  ])('approves nothing by a form that is sent %s', async (_how, forge) => {
    const { approval, here, shown } = await proposal();
    const form = formsOf((await olive.get(approval)).body).find(
      ({ action }) => action === `${here}/approve-change`,
    );
    const fields = new URLSearchParams(form?.fields);
    forge(fields);
    expect((await olive.post(`${here}/approve-change`, Object.fromEntries(fields))).statusCode).toBe(409);
    expect(await shown()).toMatchObject({ state: 'waiting' });
  });

  test('is asked for the id of no part: a form without one leads to the list, whose rows have their forms', async () => {
    const { clientId, userId, here } = await proposal();
    const { secretId } = valueOf(await commands.addAddonSecret(clientId));
    const asked = { userId, organizationId: null, name: 'nightly', days: 1, by: userId };
    const { tokenId } = valueOf(await commands.issueAdministratorToken(asked));
    const ofUser = `/operator/users/${userId}`;
    for (const [thing, list, task, id] of [
      [here, 'secrets', 'remove-secret', `secret=${secretId}`],
      [ofUser, 'tokens', 'revoke-token', `token=${tokenId}`],
    ]) {
      for (const query of ['', '?', `?${id?.split('=')[0]}=x`])
        expect((await olive.get(`${thing}/${task}${query}`)).headers.location).toBe(`${thing}/${list}`);
      expect((await olive.get(`${thing}/${list}`)).body).toContain(`href="${thing}/${task}?${id}"`);
      const page = await olive.get(`${thing}/${task}?${id}`);
      expect(page.body).toContain(`<code class="id">${id?.split('=')[1]}</code>`);
      expect(
        (
          await olive.post(
            `${thing}/${task}`,
            formsOf(page.body).find(({ action }) => action === `${thing}/${task}`)?.fields ?? {},
          )
        ).statusCode,
      ).toBe(303);
    }
  });

  test('reads all of it in German, too', async () => {
    const { approval } = await proposal();
    const { body } = await olive.get(approval, { 'accept-language': 'de' });
    for (const text of ['>Jetzt<', '>Danach<', 'Neuer Host', 'Vorgeschlagen von'])
      expect(body).toContain(text);
  });
});
