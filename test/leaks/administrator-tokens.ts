import { password, type Scene } from '../support/scenes/http-scene.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import type { WholeService } from './whole-service.ts';

/** A token for an administrator's program: made in the page, used, garbled, at the wrong doors, revoked, used again. */
export const tellOfAdministratorTokens = async (
  { http, secrets }: WholeService,
  scene: Scene,
): Promise<void> => {
  const browser = testBrowser(http.app);
  await browser.signIn(scene.email, password);
  const fields = { name: 'Nightly audit', organization: scene.organizationId, days: '30' };
  const form = await browser.get('/account/tokens/new');
  const made = await browser.press(form, 'Create token', fields);
  await browser.press(form, 'Create token', fields);
  const token = secrets.values().find((value) => value.startsWith('mkt_admin_'));
  if (token === undefined || !made.body.includes(token)) throw new Error('the page shows no token');

  const addons = `/organizations/${scene.organizationId}/addons`;
  const send = (method: 'GET' | 'POST' | 'PUT', url: string, bearer: string) =>
    http.app.inject({ method, url, headers: { authorization: `Bearer ${bearer}` } });
  const used = await send('PUT', `${addons}/${scene.clientId}/activation`, token);
  if (used.statusCode !== 200) throw new Error(`the token opens nothing: ${used.statusCode}`);
  const everywhere = async () => {
    for (const bearer of [token, `${token}x`, token.replace('mkt_admin_', 'mkt_at_')])
      for (const url of [
        addons,
        '/profiles',
        '/oauth/userinfo',
        '/account',
        '/nowhere',
        `${addons}?token=${token}`,
      ])
        await send('GET', url, bearer);
    await send('POST', addons, token);
    for (const url of ['/oauth/introspect', '/oauth/revoke'])
      await http.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ token, client_id: scene.clientId }).toString(),
      });
  };
  await everywhere();
  const account = await browser.get('/account');
  const revoke = /\/account\/tokens\/\w+\/revoke/.exec(account.body)?.[0] ?? '';
  await browser.press(await browser.get(revoke), 'Revoke');
  await everywhere();
};
