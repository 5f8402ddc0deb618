import { afterAll, expect, test } from 'vitest';
import { grantStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';

const day = 86_400_000;
let later = 0;
const http = await startHttpApp({ around: (needs) => ({ ...needs, now: () => needs.now() + later }) });
afterAll(() => http.close());

const pageOf = ({ organizationId, clientId }: Pick<Scene, 'organizationId' | 'clientId'>) =>
  `/admin/organizations/${organizationId}/addons/${clientId}/grants`;
const revokeIn = (body: string): readonly string[] =>
  [...body.matchAll(/action="([^"]+\/grants\/\w+\/revoke)"/g)].map(([, action = '']) => action);
const idIn = (action: string): string => action.split('/').at(-2) ?? '';
const csrfIn = (body: string): string => /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';

/** An active add-on with two grants of the organization, and one of a user's own. */
const withGrants = async () => {
  const scene = await setScene(http);
  await activate(http, scene);
  const subject = `organization:${scene.organizationId}`;
  const tokens = [await obtainTokens(http, scene, { subject }), await obtainTokens(http, scene, { subject })];
  const email = `own-${scene.email}`;
  const ownerId = await createUser(http, email);
  const own = await obtainTokens(http, { ...scene, email });
  await http.settle();
  const browser = await signedIn(http, scene);
  return { scene, tokens, own, ownerId, browser };
};
const status = async (token: { readonly access_token: string } | undefined) =>
  (await listWith(http, '/profiles', token?.access_token ?? '')).statusCode;

test('AM-13: shows each live grant of the organization; revoking one ends its tokens at once, and no other', async () => {
  const { scene, tokens, own, browser } = await withGrants();
  const addonPage = await browser.get(pageOf(scene).replace(/\/grants$/, ''));
  expect(addonPage.body).toContain(`href="${pageOf(scene)}"`);
  const page = await browser.get(pageOf(scene));
  const again = await browser.get(pageOf(scene));
  const forms = revokeIn(page.body);
  expect([page.statusCode, forms.length]).toEqual([200, 2]);
  expect(page.body.match(/>Revoke<\/button>/g)).toHaveLength(2);
  expect(page.body).toContain('Ada Ahoi');
  expect(page.body).toContain('profiles');
  expect(page.body).not.toContain('Unused for');

  const [first = ''] = forms;
  const done = await browser.post(first, { csrf: csrfIn(page.body), reason: 'left the harbour' });
  expect([done.statusCode, done.headers.location]).toEqual([303, pageOf(scene)]);
  expect([await status(tokens[0]), await status(tokens[1]), await status(own)]).toEqual([401, 200, 200]);
  const { events } = await http.store.read(grantStream(idIn(first)));
  expect(events.at(-1)).toMatchObject({
    event: { type: 'GrantRevoked' },
    metadata: { actor: scene.userId, reason: 'left the harbour' },
  });
  // At once, although the read models may not know it yet.
  expect(revokeIn((await browser.get(pageOf(scene))).body)).toEqual(forms.slice(1));
  expect((await browser.post(first, { csrf: csrfIn(again.body) })).statusCode).toBe(303);
  expect((await http.store.read(grantStream(idIn(first)))).events).toHaveLength(events.length);
});

test('AM-13: what nobody used for 90 days is marked', async () => {
  const { scene, browser } = await withGrants();
  later = 100 * day;
  try {
    expect((await browser.get(pageOf(scene))).body.match(/Unused for 90 days/g)).toHaveLength(2);
  } finally {
    later = 0;
  }
});

test('AM-13: a grant of another organization, of another add-on, of a user or of nobody is refused alike', async () => {
  const { scene, tokens, ownerId, browser } = await withGrants();
  const other = await withGrants();
  const csrf = csrfIn((await browser.get(pageOf(scene))).body);
  const [theirs = ''] = revokeIn((await other.browser.get(pageOf(other.scene))).body);
  const [mine = ''] = revokeIn((await browser.get(pageOf(scene))).body);
  const otherAddon = pageOf({ ...scene, clientId: other.scene.clientId });
  const about = { kind: 'user', id: ownerId } as const;
  const [owned] = await http.readModels.grants({ about }, { after: null, limit: 1 });
  expect(owned).toMatchObject({ organizationId: null, addonId: scene.clientId });
  const ownId = owned?.grantId ?? '';
  const addresses = [
    `${pageOf(scene)}/${idIn(theirs)}/revoke`,
    `${otherAddon}/${idIn(mine)}/revoke`,
    `${pageOf(scene)}/${ownId}/revoke`,
    `${pageOf(scene)}/01JZZZZZZZZZZZZZZZZZZZZZZX/revoke`,
    `${pageOf(scene)}/no_ulid/revoke`,
  ];
  const answers = await Promise.all(addresses.map((address) => browser.post(address, { csrf })));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(addresses.map(() => 404));
  expect(new Set(answers.map(({ body }) => body.replace(/href="[^"]*"/g, ''))).size).toBe(1);
  expect([await status(tokens[0]), await status(other.tokens[0])]).toEqual([200, 200]);
});

test('AM-13: only an administrator sees and revokes, with a form made for the session, and a reason of one line', async () => {
  const { scene, tokens, browser } = await withGrants();
  const page = await browser.get(pageOf(scene));
  const [action = ''] = revokeIn(page.body);
  const csrf = csrfIn(page.body);
  await createUser(http, `nobody-${scene.userId}@harbour.example`);
  const stranger = await signedIn(http, { email: `nobody-${scene.userId}@harbour.example` });
  expect((await stranger.get(pageOf(scene))).statusCode).toBe(403);
  const strangers = csrfIn((await stranger.get('/account')).body);
  expect((await stranger.post(action, { csrf: strangers })).statusCode).toBe(403);
  expect((await browser.post(action, { csrf: strangers })).statusCode).toBe(403);
  expect((await browser.post(action, {})).statusCode).toBe(403);
  expect((await browser.post(action, { csrf, reason: 'x'.repeat(501) })).statusCode).toBe(400);
  expect((await browser.post(action, { csrf, reason: 'a\u0000b' })).statusCode).toBe(400);
  const removal = { organizationId: scene.organizationId, userId: scene.userId, force: true };
  await http.commands.removeAdministrator(removal);
  expect((await browser.post(action, { csrf })).statusCode).toBe(403);
  expect(await status(tokens[0])).toBe(200);
});
