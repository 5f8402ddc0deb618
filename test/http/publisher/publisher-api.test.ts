import { afterAll, describe, expect, test } from 'vitest';
import { addonEventsADay } from '../../../src/commands/publishers/addon-changes.ts';
import { addonStream } from '../../../src/domain/streams.ts';
import { publisherPaths } from '../../../src/http/publisher/publisher-paths.ts';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { apiAt, operatorApi, tokenOf, type ApiMethod } from '../../support/scenes/operator-api.ts';
import { createPollStream } from '../../support/scenes/told-addons.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainCode,
  postToken,
  publish,
  redirectUri,
  setScene,
  signedIn,
  type Tokens,
} from '../../support/scenes/http-scene.ts';
import { verifier } from '../../support/scenes/grants.ts';

const http = await startHttpApp({ quotas: { activation: 3, addon: 1000 } });
const free = http.another((parts) => ({ ...parts, config: { ...parts.config, publisherChanges: 'free' } }));
const scene = await setScene(http, { confidential: true });
const other = await setScene(http);
const email = 'bea@doors.example';
const member = await createUser(http, email);
const publisherId = await publish(http, scene.clientId, member);
const call = apiAt(http, '', await tokenOf(http, member));
await http.settle();
afterAll(() => http.close());

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const root = '/publisher/api/addons';
const own = `${root}/${scene.clientId}`;

describe('AP-10: a member of a publisher', () => {
  test('sees the own add-ons only: another’s is not found, like one that nobody has', async () => {
    const { json } = await call('GET', root);
    expect(json).toMatchObject({
      items: [{ client_id: scene.clientId, publisher: 'Doors Ltd' }],
      next: null,
    });
    expect((await call('GET', own)).json).toEqual((json['items'] as readonly object[])[0]);
    for (const id of [other.clientId, nobody, 'x', '%2e%2e%2f', 'x'.repeat(200)])
      for (const below of ['', '/organizations', '/secrets', '/changes', '/signals', '/usage', '/refusals'])
        expect([id, below, (await call('GET', `${root}/${id}${below}`)).kind]).toEqual([
          id,
          below,
          'addon-unknown',
        ]);
  });

  test('sees which organizations have it active, and counts those that hide their names', async () => {
    await activate(http, scene);
    const hidden = await setScene(http);
    await activate(http, { ...hidden, clientId: scene.clientId });
    await http.commands.updateOrganization({ organizationId: hidden.organizationId, shown: false });
    await http.settle();
    const { json } = await call('GET', `${own}/organizations`);
    expect(json).toMatchObject({
      items: [{ organization_id: scene.organizationId }],
      shown: 1,
      hidden: 1,
      next: null,
    });
  });

  test('adds a secret next to the others and removes it, never the last one; the events name the member', async () => {
    const added = await call('POST', `${own}/secrets`);
    expect(added.status).toBe(201);
    const { secret_id: id, client_secret: secret } = added.json;
    expect((await call('GET', `${own}/secrets`)).json['items']).toHaveLength(2);
    const { events } = await http.store.readBack(addonStream(scene.clientId), 'end', 1);
    expect(events).toMatchObject([{ event: { type: 'AddonSecretAdded' }, metadata: { actor: member } }]);
    expect(JSON.stringify(events.map(({ event }) => event))).not.toContain(String(secret));
    const left = await call('DELETE', `${own}/secrets/${String(id)}`);
    expect(left.json['items']).toHaveLength(1);
    expect((await call('DELETE', `${own}/secrets/${String(id)}`)).json['code']).toBe('secret-unknown');
    const [{ secret_id: last } = {}] = left.json['items'] as readonly Record<string, string>[];
    expect(await call('DELETE', `${own}/secrets/${last ?? ''}`)).toMatchObject({
      status: 409,
      json: { code: 'last-secret' },
    });
  });

  test('does nothing to what has changed since it was shown, and does not read who changed it and why', async () => {
    const shown = await call('GET', own);
    const { call: operate, userId: operator } = await operatorApi(http, 'Otto');
    const suspended = await operate('POST', `addons/${scene.clientId}/suspend`, { reason: 'asked by Otto' });
    expect(suspended.status).toBe(200);
    await operate('POST', `addons/${scene.clientId}/resume`);
    const headers = { 'if-match': String(shown.headers['etag']) };
    const refused = await call('POST', `${own}/secrets`, undefined, { headers });
    expect([refused.status, refused.kind]).toEqual([412, 'changed-meanwhile']);
    expect(JSON.stringify(refused.json)).not.toMatch(new RegExp(`Otto|asked|${operator}|suspended`, 'i'));
    expect((await call('GET', `${own}/secrets`)).json['items']).toHaveLength(1);
  });

  test('proposes changes, which wait, and withdraws them', async () => {
    const uri = 'https://addon.example/other';
    const { status, json } = await call('POST', `${own}/changes`, { add_redirect_uri: [uri] });
    expect([status, json['state'], json['add_redirect_uri']]).toEqual([201, 'waiting', [uri]]);
    expect((await call('GET', own)).json['redirect_uris']).not.toContain(uri);
    expect((await call('GET', `${own}/changes`)).json['items']).toEqual([json]);
    const path = `${own}/changes/${String(json['change_id'])}/withdraw`;
    expect((await call('POST', path)).json).toMatchObject({ state: 'withdrawn' });
    expect(await call('POST', path)).toMatchObject({ status: 409, json: { code: 'change-decided' } });
    expect((await call('POST', `${own}/changes`, {})).json).toMatchObject({ code: 'change-empty' });
    expect((await call('POST', `${own}/changes/${nobody}/withdraw`)).json['code']).toBe('change-unknown');
    const body = { add_redirect_uri: [uri], website: 'https://doors.example/' };
    const applied = await call('POST', `${own}/changes`, body, { app: free });
    expect(applied.json).toMatchObject({ state: 'approved', reason: null });
    expect((await call('GET', own)).json).toMatchObject({ website: 'https://doors.example/' });
    expect((await call('GET', own)).json['redirect_uris']).toContain(uri);
  });

  test.each([
    ['what is there', { add_redirect_uri: ['https://addon.example/cb?x=1'] }, 'add_redirect_uri'],
    ['what is not there', { remove_redirect_uri: ['https://addon.example/none'] }, 'remove_redirect_uri'],
    ['an address that is none', { website: 'x' }, 'website'],
    ['an address without TLS', { website: 'http://doors.example/' }, 'website'],
    ['a URI with a fragment', { add_redirect_uri: ['https://addon.example/#x'] }, 'add_redirect_uri'],
    [
      'a URI of 10 kB',
      { add_redirect_uri: [`https://addon.example/${'x'.repeat(10_240)}`] },
      'add_redirect_uri',
    ],
    ['another field', { name: 'Mine' }, 'name'],
    ['a reason of two lines', { website: 'https://x.example/', reason: 'a\nb' }, 'reason'],
  ] as const)('is told what is wrong with a change of %s', async (_what, body, parameter) => {
    const { status, json } = await call('POST', `${own}/changes`, body);
    expect([status, json['errors']]).toMatchObject([400, [{ parameter }]]);
  });

  test('without a membership, a session or a token sees nothing; and nothing once the removal has returned', async () => {
    const kindFor = async (as: Readonly<Record<string, string>>, url = root, method: ApiMethod = 'GET') =>
      (await call(method, url, undefined, { as })).kind;
    const stranger = await tokenOf(http, other.userId);
    expect(await kindFor(stranger)).toBe('not-a-publisher');
    expect(await kindFor(stranger, own)).toBe('addon-unknown');
    expect(await kindFor({})).toBe('sign-in-required');
    expect(await kindFor({ authorization: 'Bearer x' }, own)).toBe('administrator-token-unknown');
    const late = await createUser(http, 'cid@doors.example');
    valueOf(await http.commands.addPublisherMember({ publisherId, userId: late }));
    await http.settle();
    const theirs = await tokenOf(http, late);
    expect(await kindFor(theirs)).toBeUndefined();
    valueOf(await http.commands.removePublisherMember({ publisherId, userId: late }));
    for (const [method, below] of [
      ['GET', ''],
      ['POST', '/secrets'],
      ['POST', '/changes'],
      ['GET', '/usage'],
      ['GET', '/refusals'],
    ] as const)
      expect(await kindFor(theirs, `${own}${below}`, method)).toBe('addon-unknown');
    expect(await kindFor(theirs)).toBe('not-a-publisher');
  });

  test('acts with the session of a browser, but not from a page of another site', async () => {
    const browser = await signedIn(http, { email });
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await call('GET', root, undefined, { as: { cookie } })).status).toBe(200);
    const evil = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await call('POST', `${own}/secrets`, undefined, { as: evil })).kind).toBe('other-origin');
  });
});

describe('AP-10: the use of an add-on', () => {
  test('is counted by day: tokens, lists, refusals with the last request, and limits', async () => {
    const code = await obtainCode(http, scene, { subject: `organization:${scene.organizationId}` });
    const client = { client_id: scene.clientId, client_secret: scene.clientSecret ?? '' };
    const exchanged = await postToken(http.app, {
      ...client,
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const tokens = exchanged.json<Tokens>();
    for (let index = 0; index < 4; index += 1) await listWith(http, '/access-rights', tokens.access_token);
    const refused = await postToken(http.app, {
      grant_type: 'refresh_token',
      client_id: scene.clientId,
      client_secret: 'mkt_cs_wrong',
      refresh_token: 'x',
    });
    expect(refused.statusCode).toBe(401);
    await postToken(http.app, { grant_type: 'refresh_token', client_id: nobody, refresh_token: 'x' });
    await http.storeUsage();
    const { json } = await call('GET', `${own}/usage?days=1`);
    const [today = {}] = json['days'] as readonly Record<string, unknown>[];
    expect(json['days']).toHaveLength(1);
    expect(today).toMatchObject({
      tokens: 1,
      requests: [{ name: 'access-rights', count: 3 }],
      limits: [{ name: 'activation', count: 1 }],
    });
    expect(today['refusals']).toMatchObject([
      { endpoint: 'access-rights', reason: 'too-many-requests', count: 1 },
      { endpoint: 'token', reason: 'client-secret-wrong', count: 1 },
    ]);
    const [first] = today['refusals'] as readonly Record<string, string>[];
    expect(first?.['explanation']).toMatch(/\/problems\/too-many-requests$/);
    for (const { explanation } of today['refusals'] as readonly Record<string, string>[])
      expect((await http.app.inject(new URL(explanation ?? '').pathname)).statusCode).toBe(200);
    const line = http.lines.findLast(({ message }) => message === 'request refused');
    expect(http.lines.map(({ fields }) => (fields as Record<string, unknown>)['requestId'])).toContain(
      first?.['last_request_id'],
    );
    expect(line).toBeDefined();
    const { rows } = await http.pool.query('select 1 from addon_usage where addon_id = $1', [nobody]);
    expect(rows).toEqual([]);
    await http.storeUsage();
    expect((await call('GET', `${own}/usage`)).json).toEqual(json);
  });

  test.each(['days=0', 'days=31', 'days=x', 'days=1&days=2', 'from=1', 'days=1e3'])(
    'with the query %s is refused',
    async (query) => {
      const { status, json } = await call('GET', `${own}/usage?${query}`);
      expect([status, json['errors']]).toMatchObject([400, [{}]]);
    },
  );
});

test('AP-10: no answer to a publisher has a user’s id, name or address', async () => {
  const { rows } = await http.pool.query<{ id: string; name: string; email: string }>(
    'select user_id as id, name, email from accounts',
  );
  await createPollStream(http, scene.clientId);
  const filled = (template: string) =>
    template.replace('{client_id}', scene.clientId).replace(/\{\w+\}/g, nobody);
  for (const [template, operations] of Object.entries(publisherPaths))
    for (const method of Object.keys(operations) as ApiMethod[]) {
      const { text } = await call(
        method,
        filled(template),
        template.endsWith('/changes') && method === 'POST'
          ? { support_url: 'https://a.example/' }
          : undefined,
      );
      for (const { id, name, email } of rows)
        for (const personal of [id, name, email])
          expect([template, method, text.includes(personal)]).toEqual([template, method, false]);
    }
});

test('AP-10: signals are shown, tested at most once in five seconds, and offered again', async () => {
  const shown = await call('GET', `${own}/signals`);
  expect(shown.json).toMatchObject({ client_id: scene.clientId, method: 'poll', last_error: null });
  http.advance(10_000);
  expect((await call('POST', `${own}/signals/test`)).status).toBe(200);
  expect((await call('POST', `${own}/signals/test`)).kind).toBe('too-many-requests');
  expect((await call('POST', `${own}/signals/replay`, { after: '1/1' })).json).toMatchObject({
    stream_id: shown.json['stream_id'],
  });
  for (const body of [{}, { after: 'x' }, { after: '1/1', before: '2/2' }])
    expect((await call('POST', `${own}/signals/replay`, body)).status).toBe(400);
});

test('each operation answers what it promises, and refuses as it says', async () => {
  const change = await call('POST', `${own}/changes`, { privacy_url: 'https://b.example/' });
  const secret = await call('POST', `${own}/secrets`);
  const ids = { change_id: change.json['change_id'], secret_id: secret.json['secret_id'] };
  const filled = (template: string, clientId: string) =>
    template
      .replace('{client_id}', clientId)
      .replace(/\{(\w+)\}/g, (_match, name: keyof typeof ids) => String(ids[name]));
  const bodies: Readonly<Record<string, object>> = {
    changes: { privacy_url: 'https://c.example/' },
    replay: { after: '1/1' },
  };
  http.advance(10_000);
  for (const [template, operations] of Object.entries(publisherPaths))
    for (const method of Object.keys(operations) as ApiMethod[]) {
      const body = method === 'POST' ? bodies[template.split('/').at(-1) ?? ''] : undefined;
      await call(method, filled(template, scene.clientId), body);
      await call(method, `${filled(template, scene.clientId)}?x=1`, body);
      await call(method, filled(template, scene.clientId), body, { as: {} });
      await call(method, filled(template, other.clientId), body);
    }
  const promised = (await describedOperations(http.app))
    .filter(({ template }) => template.startsWith('/publisher/api/'))
    .flatMap(({ method, template, operation: { responses } }) => {
      const [success, ...statuses] = Object.keys(responses);
      return [success, ...statuses.filter((status) => ['400', '401', '404'].includes(status))].map(
        (status) => `${method} ${template} ${status}`,
      );
    });
  expect(promised.filter((answer) => !http.answered.has(answer))).toEqual([]);
});

test('FX-89: after too many changes of a day a member adds nothing, and still removes secrets and withdraws proposals', async () => {
  const busy = await setScene(http, { confidential: true });
  await publish(http, busy.clientId, member);
  await http.settle();
  const at = `${root}/${busy.clientId}`;
  const { secret_id: secret } = (await call('POST', `${at}/secrets`)).json;
  const proposed = await call('POST', `${at}/changes`, { website: 'https://doors.example/' });
  for (let index = 0; index < addonEventsADay / 2; index += 1) {
    const { secretId } = valueOf(await http.commands.addAddonSecret(busy.clientId));
    valueOf(await http.commands.removeAddonSecret({ addonId: busy.clientId, secretId }));
  }
  const refused = await call('POST', `${at}/secrets`);
  expect([refused.status, refused.kind]).toEqual([429, 'too-many-requests']);
  expect((await call('POST', `${at}/changes`, { website: 'https://x.example/' })).status).toBe(429);
  expect((await call('DELETE', `${at}/secrets/${String(secret)}`)).status).toBe(200);
  const withdraw = `${at}/changes/${String(proposed.json['change_id'])}/withdraw`;
  expect((await call('POST', withdraw)).json).toMatchObject({ state: 'withdrawn' });
});
