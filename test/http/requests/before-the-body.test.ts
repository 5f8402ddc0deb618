import { afterAll, expect, test } from 'vitest';
import { offeredBy } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { head, sayTo } from '../../support/servers/raw-socket.ts';

const http = await startHttpApp();
await http.app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => http.close());

/** Where credentials may be in the body, such as a link, a password or a signed interaction, or none are needed. */
const open = new Set([
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/userinfo',
  '/oauth/authorize',
  '/oauth/authorize/another-user',
  '/oauth/authorize/decision',
  '/oauth/logout',
  '/oauth/logout/confirm',
  '/sign-in',
  '/sign-in/backchannel-logout/{provider}',
  '/sign-in/passkey',
  '/sign-in/with/{provider}',
  '/sign-out',
  '/choose-password',
  '/forgot-password',
]);
/** The code of a command line's sign-in, which its token is given for. */
const exchange = 'POST /operator/api/token';

const mayHaveBody = ['POST', 'PUT', 'PATCH', 'DELETE'];
const routes = (await offeredBy(http.app))
  .filter(({ method, template }) => mayHaveBody.includes(method) && !open.has(template))
  .map(({ method, template }) => `${method} ${template}`)
  .filter((route) => route !== exchange);

test('FX-88: every endpoint that needs credentials answers a stranger before the body has come', async () => {
  expect(routes.length).toBeGreaterThan(100);
  const type = 'content-type: application/x-www-form-urlencoded';
  const answers = await Promise.all(
    routes.map(async (route) => {
      const line = route.replaceAll(/\{\w+\}/g, '01JD0000000000000000000000');
      const { status } = await sayTo(http.app, head(line, type, 'content-length: 60000'));
      return [route, status];
    }),
  );
  const refused = expect.toBeOneOf([303, 401, 403]);
  expect(answers).toEqual(routes.map((route) => [route, refused]));
});

test('FX-88: a stranger may send the bodies that others may, where credentials can be in them', async () => {
  const form = head(
    'POST /oauth/token',
    'content-type: application/x-www-form-urlencoded',
    'content-length: 3',
  );
  expect((await sayTo(http.app, `${form}a=b`)).status).toBe(400);
});
