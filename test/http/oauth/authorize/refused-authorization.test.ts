import { afterAll, expect, test } from 'vitest';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { activationStream } from '../../../../src/domain/streams.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  deactivate,
  password,
  returned,
  setScene,
} from '../../../support/scenes/http-scene.ts';
import { testBrowser } from '../../../support/scenes/pages.ts';

const http = await startPlugins([authorize, session]);
afterAll(() => http.close());

/** The approval page is shown, the organization deactivates, the user allows it all the same. */
const refusedAfterwards = async (by: 'administrator' | 'stranger') => {
  const scene = await setScene(http);
  await activate(http, scene);
  const { organizationId, clientId: addonId, userId } = scene;
  const stranger = `stranger-${addonId.toLowerCase()}@example.com`;
  if (by === 'stranger') await createUser(http, stranger);
  await http.settle();
  const email = by === 'stranger' ? stranger : scene.email;
  const browser = testBrowser(http.app);
  const signIn = await browser.get(authorizeUrl(scene));
  const shown = await browser.follow(await browser.press(signIn, 'Sign in', { email, password }));
  await deactivate(http, scene);
  const ask = async () => {
    const page = shown.body.includes('Allow') ? await browser.get(authorizeUrl(scene)) : shown;
    return returned(await browser.press(page, 'Allow', { subject: `organization:${organizationId}` }));
  };
  const events = async () => {
    const { events: all } = await http.store.read(activationStream(organizationId, addonId));
    return all.filter(({ event }) => event.type === 'AuthorizationRefused').map(({ event }) => event.data);
  };
  return { ask, events, userId };
};

test('AZ-23: an add-on that is not active is access_denied, and leaves one event an hour', async () => {
  const { ask, events, userId } = await refusedAfterwards('administrator');
  expect(await ask()).toMatchObject({ error: 'access_denied' });
  expect(await events()).toEqual([{ userId, reason: 'addon-not-active', at: expect.any(Number) }]);
  expect(await ask()).toMatchObject({ error: 'access_denied' });
  expect(await events()).toHaveLength(1);
  http.advance(3_600_000);
  expect(await ask()).toMatchObject({ error: 'access_denied' });
  expect(await events()).toHaveLength(2);
});

test('AZ-23: of somebody who is no administrator there nothing is written into its stream', async () => {
  const { ask, events } = await refusedAfterwards('stranger');
  expect(await ask()).toMatchObject({ error: 'access_denied' });
  expect(await events()).toEqual([]);
});
