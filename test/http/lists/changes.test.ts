import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCursors } from '../../../src/http/lists/cursor.ts';
import { encryptSyncToken } from '../../../src/http/lists/sync-token.ts';
import { cursorKeysOf, startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, listWith, obtainTokens, setScene, type Scene } from '../../support/scenes/http-scene.ts';
import { profileOf } from '../../support/scenes/profile.ts';

const DAY = 86_400_000;
const http = await startHttpApp();
afterAll(() => http.close());

let scene: Scene;
let token: string;
beforeEach(async () => {
  scene = await setScene(http);
  await activate(http, scene);
  token = await tokenFor(`organization:${scene.organizationId}`);
});

const tokenFor = async (subject: string, of = scene) =>
  (await obtainTokens(http, of, { subject, change: { prompt: 'consent' } })).access_token;

let version = 0;
const put = async (id: string, owner: string | null = null, of = scene) => {
  version += 1;
  await http.commands.recordProfile({
    organizationId: of.organizationId,
    id,
    version,
    record: profileOf(`Person ${id}`, { userId: owner }),
  });
  await http.settle();
};
const remove = async (id: string, of = scene) => {
  version += 1;
  await http.commands.recordProfile({ organizationId: of.organizationId, id, version, record: null });
  await http.settle();
};

type Body = {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly _pagination: object;
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
  readonly sync_token: string;
};
const get = (url: string, with_ = token) => listWith(http, url, with_);
const bodyOf = async (url: string, with_ = token) => (await get(url, with_)).json<Body>();
const start = async (url = '/profiles', with_ = token) => (await bodyOf(url, with_)).sync_token;
const since = (sync: string, rest = '') => `/profiles?sync_token=${sync}${rest}`;
/** `+` for what is there, `-` for what is gone. */
const signs = ({ items }: Body) =>
  items.map(({ id, deleted }) => `${deleted === true ? '-' : '+'}${String(id)}`);
const linkOf = ({ _links }: Body, rel: string) =>
  _links.find((link) => link.rel === rel)?.href.replace(http.baseUrl, '') ?? '';
const errorsOf = async (url: string, with_ = token) => {
  const answer = await get(url, with_);
  const { type, errors } = answer.json<{ type: string; errors?: { parameter: string; code: string }[] }>();
  return [
    answer.statusCode,
    type.replace(/.*\//, ''),
    ...(errors ?? []).map(({ parameter, code }) => `${parameter} ${code}`),
  ];
};

describe('AP-05: what has changed since', () => {
  test('is what was added, changed and removed, the oldest change first, each record once', async () => {
    for (const id of ['a', 'b', 'c']) await put(id);
    const sync = await start();
    expect(await bodyOf(since(sync))).toMatchObject({
      items: [],
      _pagination: { page: 1, total_items: 0, pages: 0, per_page: 25 },
      _links: [],
    });
    await put('b');
    await put('d');
    await put('b');
    await remove('a');
    const changes = await bodyOf(since(sync));
    expect(signs(changes)).toEqual(['+d', '+b', '-a']);
    expect(changes._pagination).toEqual({ page: 1, total_items: 3, pages: 1, per_page: 25 });
    expect(changes.items[2]).toEqual({
      id: 'a',
      deleted: true,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect((await bodyOf('/profiles')).items).toContainEqual(changes.items[0]);
    // The last page's token is the one to keep.
    await put('c');
    expect(signs(await bodyOf(since(changes.sync_token)))).toEqual(['+c']);
  });

  test('a record that was removed and is there again is only there', async () => {
    await put('a');
    const sync = await start();
    await remove('a');
    expect(signs(await bodyOf(since(sync)))).toEqual(['-a']);
    await put('a');
    expect(signs(await bodyOf(since(sync)))).toEqual(['+a']);
    await remove('a');
    expect(signs(await bodyOf(since(sync)))).toEqual(['-a']);
  });

  test('every page of a walk has the token of its first page, whatever changes meanwhile', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await put(id);
    const first = await bodyOf('/profiles?per_page=2');
    await put('a');
    const second = await bodyOf(linkOf(first, 'next'));
    const back = await bodyOf(linkOf(second, 'prev'));
    const third = await bodyOf(linkOf(second, 'next'));
    expect(new Set([second, third, back].map(({ sync_token }) => sync_token))).toEqual(
      new Set([first.sync_token]),
    );
    expect(signs(await bodyOf(since(third.sync_token)))).toEqual(['+a']);
  });

  test('pages have links as a list has, and the number of changes', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await put(id);
    const sync = await start();
    for (const id of ['e', 'd', 'c', 'b', 'a']) await put(id);
    const first = await bodyOf(since(sync, '&per_page=2'));
    expect(signs(first)).toEqual(['+e', '+d']);
    expect(first._links.map(({ rel }) => rel)).toEqual(['next']);
    const second = await bodyOf(linkOf(first, 'next'));
    expect(signs(second)).toEqual(['+c', '+b']);
    expect(second._pagination).toEqual({ page: 2, total_items: 5, pages: 3, per_page: 2 });
    expect(second._links.map(({ rel }) => rel)).toEqual(['prev', 'next']);
    expect(signs(await bodyOf(linkOf(second, 'prev')))).toEqual(['+e', '+d']);
    const last = await bodyOf(linkOf(second, 'next'));
    expect([signs(last), last._links.map(({ rel }) => rel)]).toEqual([['+a'], ['prev']]);
    expect(signs(await bodyOf(since(sync, '&per_page=2&page=2')))).toEqual(['+c', '+b']);
    expect(signs(await bodyOf(since(second.sync_token)))).toEqual(['+a']);
    const beyond = await bodyOf(since(sync, '&per_page=2&page=9'));
    expect([beyond.items, beyond._links.map(({ rel }) => rel)]).toEqual([[], ['prev']]);
    expect(signs(await bodyOf(since(beyond.sync_token)))).toHaveLength(5);
  });

  test('a change that comes between two pages moves its record to the end', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await put(id);
    const sync = await start();
    for (const id of ['a', 'b', 'c', 'd']) await put(id);
    const first = await bodyOf(since(sync, '&per_page=2'));
    await put('a');
    await put('c');
    const second = await bodyOf(linkOf(first, 'next'));
    const third = await bodyOf(linkOf(second, 'next'));
    expect([first, second, third].map(signs)).toEqual([['+a', '+b'], ['+d', '+a'], ['+c']]);
  });

  test('HEAD, and the headers: none of them makes a cache keep it', async () => {
    const url = since(await start());
    const { headers } = await get(url);
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('etag');
    const sent = { authorization: `Bearer ${token}`, 'if-none-match': '*' };
    const head = await http.app.inject({ method: 'HEAD', url, headers: sent });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });
});

describe('AP-05: in a user’s own list', () => {
  let own: string;
  beforeEach(async () => {
    own = await tokenFor('user');
  });
  const changes = async (sync: string) => bodyOf(since(sync), own);

  test('what leaves with its profile is removed, with the organization that it is of; what comes is there', async () => {
    await put('a', scene.userId);
    await put('b');
    const sync = await start('/profiles', own);
    await put('a', null);
    await put('b', scene.userId);
    const body = await changes(sync);
    expect(signs(body)).toEqual(['-a', '+b']);
    expect(body.items[0]).toMatchObject({ organization_id: scene.organizationId });
  });

  test('a deactivation removes what was there, and nothing is said of what comes later; an activation brings what is there', async () => {
    const { organizationId, clientId: addonId, userId } = scene;
    for (const id of ['a', 'b', 'c', 'z']) await put(id, userId);
    const sync = await start('/profiles', own);
    await remove('z');
    await put('z', userId); // once as it was before, and once as it is
    await http.commands.deactivateAddon({ organizationId, addonId, by: userId });
    await http.settle();
    await put('new', userId);
    await put('gone', userId);
    await remove('gone');
    await remove('b');
    await put('c', null);
    await put('c', userId);
    const removed = await changes(sync);
    expect(signs(removed).toSorted()).toEqual(['-a', '-b', '-c', '-z']);
    expect(removed._pagination).toMatchObject({ total_items: 4 });
    expect(new Set(removed.items.map(({ updated_at }) => updated_at)).size).toBe(1);
    expect(signs(await changes(removed.sync_token))).toEqual([]);
    const hidden = await start('/profiles', own);
    await activate(http, scene);
    await http.settle();
    const there = ['+a', '+c', '+new', '+z'];
    const gone = ['-b', '-gone'];
    expect(signs(await changes(hidden)).toSorted()).toEqual(there);
    expect(
      signs(await changes(removed.sync_token))
        .filter((sign) => sign.startsWith('+'))
        .toSorted(),
    ).toEqual(there);
    expect(signs(await changes(sync)).toSorted()).toEqual([...there, ...gone].toSorted());
    expect(signs(await changes(await start('/profiles', own)))).toEqual([]);
  });

  test('the first activation changes nothing: the records were in the list before (AC-02)', async () => {
    const other = await setScene(http);
    await put('mine', scene.userId, other);
    const sync = await start('/profiles', own);
    await activate(http, { ...scene, organizationId: other.organizationId, userId: other.userId });
    await http.settle();
    expect(signs(await changes(sync))).toEqual([]);
  });

  test('while the read models do not know what the fence knows, nothing changes, and the token stays', async () => {
    const { organizationId, clientId, userId } = scene;
    await put('a', userId);
    const sync = await start('/profiles', own);
    await put('a', userId);
    const set = (open: boolean) =>
      http.pool.query('update fence set open = $2 where subject = $1', [
        `activation:${organizationId}.${clientId}`,
        open,
      ]);
    await set(false);
    const waiting = await changes(sync);
    expect([waiting.items, waiting._links]).toEqual([[], []]);
    await set(true);
    expect(signs(await changes(waiting.sync_token))).toEqual(['+a']);
  });
});

describe('AP-05: a token that is not good here', () => {
  test.each([
    ['empty', ''],
    ['malformed', 'x'],
    ['malformed', 'A'.repeat(10_000)],
    ['malformed', 'AgJrMQ%00'],
  ])('%s', async (code, sync) => {
    expect(await errorsOf(since(sync))).toEqual([400, 'invalid-parameters', `sync_token ${code}`]);
  });

  test('repeated, of an unknown key, changed, or the cursor of a link', async () => {
    const sync = await start();
    expect(await errorsOf(since(sync, `&sync_token=${sync}`))).toEqual([
      400,
      'invalid-parameters',
      'sync_token repeated',
    ]);
    for (const id of ['a', 'b']) await put(id);
    const cursor =
      new URLSearchParams(linkOf(await bodyOf('/profiles?per_page=1'), 'next')).get('cursor') ?? '';
    const changed = Buffer.from(sync, 'base64url');
    changed[30] = (changed[30] ?? 0) ^ 1;
    const [key] = cursorKeysOf(http.keys);
    const strange = encryptSyncToken(makeCursors([{ ...key, id: 'zz' }]), {
      binding: 1n,
      place: { position: 1n, organizationId: '', ordinal: -1 },
      state: 0n,
      issuedAt: 0,
    });
    for (const bad of [cursor, changed.toString('base64url'), strange])
      expect(await errorsOf(since(bad))).toEqual([400, 'invalid-parameters', 'sync_token forged']);
    // As a cursor it is one for another page.
    expect((await get(`/profiles?cursor=${sync}`)).statusCode).toBe(200);
  });

  test('of another installation, even one with the same keys', async () => {
    const sync = await start();
    const elsewhere = http.another((parts) => ({
      ...parts,
      config: { ...parts.config, issuer: 'https://elsewhere.example' },
    }));
    const headers = { authorization: `Bearer ${token}` };
    expect((await elsewhere.inject({ url: since(sync), headers })).json()).toMatchObject({
      errors: [{ parameter: 'sync_token', code: 'foreign' }],
    });
  });

  test('another grant of the same organization and add-on may use it', async () => {
    const sync = await start();
    await put('a');
    const another = await tokenFor(`organization:${scene.organizationId}`);
    expect(signs(await bodyOf(since(sync), another))).toEqual(['+a']);
  });

  test('from before a re-activation; and a walk that goes on after one has none that is good', async () => {
    const { organizationId, clientId: addonId, userId } = scene;
    for (const id of ['a', 'b']) await put(id);
    const first = await bodyOf('/profiles?per_page=1');
    await http.commands.deactivateAddon({ organizationId, addonId, by: userId });
    await activate(http, scene);
    await http.settle();
    // A revoked token is reported before anything else.
    expect((await get(since(first.sync_token))).statusCode).toBe(401);
    token = await tokenFor(`organization:${organizationId}`);
    expect(await errorsOf(since(first.sync_token))).toEqual([
      400,
      'invalid-parameters',
      'sync_token foreign',
    ]);
    const second = await bodyOf(linkOf(first, 'next'));
    expect(await errorsOf(since(second.sync_token))).toEqual([410, 'sync-token-expired']);
  });

  test('with other wrong parameters, each is named', async () => {
    expect(await errorsOf('/profiles?sync_token=x&page=0')).toEqual([
      400,
      'invalid-parameters',
      'sync_token malformed',
      'page out-of-range',
    ]);
  });
});

describe('AP-05: a token expires', () => {
  test('by the service’s clock, after 30 days, with a link to start again', async () => {
    const sync = await start();
    const headers = { authorization: `Bearer ${token}` };
    // Access tokens expire sooner: only the clock of lists is ahead.
    const later = (days: number) =>
      http.another((parts) => ({ ...parts, now: () => parts.now() + days * DAY, commands: parts.commands }));
    const at = (days: number) => later(days).inject({ url: since(sync, '&per_page=7'), headers });
    expect((await at(30)).statusCode).toBe(200);
    const expired = await at(30.01);
    const href = `${http.baseUrl}/profiles?per_page=7`;
    expect([expired.statusCode, expired.headers.link]).toEqual([410, `<${href}>; rel="first"`]);
    expect(expired.json()).toMatchObject({
      type: `${http.baseUrl}/problems/sync-token-expired`,
      _links: [{ rel: 'first', type: 'GET', href }],
    });
  });

  test('when an event was applied late, for that list alone', async () => {
    const [profiles, reservations] = [await start(), await start('/reservations')];
    await http.pool.query(
      `insert into list_corrections (organization_id, list, times) values ($1, 'profiles', 1)`,
      [scene.organizationId],
    );
    expect(await errorsOf(since(profiles))).toEqual([410, 'sync-token-expired']);
    expect((await get(`/reservations?sync_token=${reservations}`)).statusCode).toBe(200);
    expect((await get(since(await start()))).statusCode).toBe(200);
  });

  test('a user’s, while an activation is on hold, and once it no longer is', async () => {
    const own = await tokenFor('user');
    await put('a', scene.userId);
    const before = await start('/profiles', own);
    const closes = `activation:${scene.organizationId}.${scene.clientId}`;
    await http.pool.query(
      `insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position, closes)
       values ('read-models', 'activation-fence', 'activation-x', 0, gen_random_uuid(), 'AddonActivated', 0, 0, $1)`,
      [closes],
    );
    expect(await errorsOf(since(before), own)).toEqual([410, 'sync-token-expired']);
    const meanwhile = await start('/profiles', own);
    expect((await get(since(meanwhile), own)).statusCode).toBe(200);
    await http.pool.query('delete from parked_events where closes = $1', [closes]);
    expect(await errorsOf(since(meanwhile), own)).toEqual([410, 'sync-token-expired']);
    expect((await get(since(before), own)).statusCode).toBe(200);
  });

  test('when it is from before the log was copied, or from where changes are not known', async () => {
    const { rows } = await http.pool.query<{ position: string }>(
      `select commit_position as position from checkpoints where name = 'read-models'`,
    );
    const sync = await start();
    const set = (column: string, value: string) =>
      http.pool.query(`update list_changes_from set ${column} = ${value}`);
    await set('copied_at', String(Date.now() + 1000));
    expect(await errorsOf(since(sync))).toEqual([410, 'sync-token-expired']);
    await set('copied_at', '0');
    await set('position', rows[0]?.position ?? '');
    expect((await get(since(sync))).statusCode).toBe(200);
    await put('a');
    await set('position', `(select commit_position from checkpoints where name = 'read-models')`);
    expect(await errorsOf(since(sync))).toEqual([410, 'sync-token-expired']);
    await set('position', '0');
  });
});
