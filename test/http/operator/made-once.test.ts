import { afterAll, describe, expect, test } from 'vitest';
import { addonStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { password, setScene } from '../../support/scenes/http-scene.ts';
import { operatorApi } from '../../support/scenes/operator-api.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let isDying = false;
let beforeDying = 0n;
const http = await startHttpApp();
const { clientId } = await setScene(http, { confidential: true });
const [olive, oscar] = [await operatorApi(http, 'olive'), await operatorApi(http, 'oscar')];
const other = http.another((parts) => ({
  ...parts,
  services: {
    ...parts.services,
    store: {
      ...parts.services.store,
      /** Of the revision that the answer has, once something is made. */
      readBack: async (...asked) => {
        if (!isDying || (await http.store.head())?.commit === beforeDying)
          return parts.services.store.readBack(...asked);
        isDying = false;
        throw new Error('the process ends here');
      },
    },
  },
}));
await http.settle();
afterAll(() => http.close());

const post = (
  path: string,
  body: object,
  { key, by = olive, app = http.app }: { key: string; by?: typeof olive; app?: typeof http.app },
) => by.call('POST', path, body, { headers: { 'idempotency-key': key }, app });

const addonsNamed = async (name: string) => {
  await http.settle();
  return (await http.readModels.addons()).filter((addon) => addon.name === name).length;
};
const addon = (name: string) => ({
  name,
  redirect_uri: ['https://a.example/callback'],
  confidential: true,
  force: true,
});

describe('AP-07: creating twice with one Idempotency-Key', () => {
  test('creates once, and answers the same, the secret included, on every instance', async () => {
    const first = await post('addons', addon('Once'), { key: 'k-1' });
    expect(first).toMatchObject({
      status: 201,
      json: { name: 'Once', client_secret: expect.stringMatching(/^mkt_cs_/) as string },
    });
    expect(first.headers['location']).toBe(
      `${http.baseUrl}/operator/api/addons/${String(first.json['client_id'])}`,
    );
    for (const app of [http.app, other]) {
      const again = await post('addons', addon('Once'), { key: 'k-1', app });
      expect([again.status, again.json]).toEqual([201, first.json]);
      expect([again.headers['etag'], again.headers['location']]).toEqual([
        first.headers['etag'],
        first.headers['location'],
      ]);
    }
    expect(await addonsNamed('Once')).toBe(1);
  });

  test('the key belongs to the account, and holds 24 hours', async () => {
    const others = await post('addons', addon('Once'), { key: 'k-1', by: oscar });
    expect(others.status).toBe(201);
    expect(await addonsNamed('Once')).toBe(2);
  });

  test('another body, address or method under the key is refused; a refused request leaves it free', async () => {
    expect(await post('addons', addon('Twice'), { key: 'k-1' })).toMatchObject({
      status: 422,
      kind: 'idempotency-key-reused',
    });
    expect((await post('organizations', { name: 'Once' }, { key: 'k-1' })).status).toBe(422);
    const wrong = { ...addon('Free'), redirect_uri: ['http://a.example/'] };
    expect((await post('addons', wrong, { key: 'k-2' })).status).toBe(400);
    expect((await post('addons', addon('Free'), { key: 'k-2' })).status).toBe(201);
  });

  test('FX-55: the order of the keys of the body does not matter, that of a list does', async () => {
    const body = { ...addon('Ordered'), scope: ['profiles:read', 'reservations:read'] };
    const first = await post('addons', body, { key: 'k-order' });
    const again = await post('addons', Object.fromEntries(Object.entries(body).toReversed()), {
      key: 'k-order',
      app: other,
    });
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
    const otherList = { ...body, scope: body.scope.toReversed() };
    expect((await post('addons', otherList, { key: 'k-order' })).kind).toBe('idempotency-key-reused');
    expect(await addonsNamed('Ordered')).toBe(1);
  });

  test.each(['', ' ', 'a b', 'ä', 'x'.repeat(256), 'x'.repeat(10_000)])(
    'the key %j is refused',
    async (key) => {
      const { status, json } = await post('addons', addon('Bad key'), { key });
      expect([status, json['errors']]).toEqual([
        400,
        [expect.objectContaining({ parameter: 'Idempotency-Key' })],
      ]);
      expect(await addonsNamed('Bad key')).toBe(0);
    },
  );

  test('of many at once, on two instances, one creates; others are told to wait, or get its answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        post('organizations', { name: 'Race' }, { key: 'k-3', app: index % 2 === 0 ? http.app : other }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ json }) => json['organization_id'])).size).toBe(1);
    const waiting = answers.filter(({ status }) => status !== 201);
    expect(waiting.every(({ kind }) => kind === 'idempotency-key-running')).toBe(true);
    expect(waiting.every(({ headers }) => headers['retry-after'] === '2')).toBe(true);
    await http.settle();
    expect(await http.readModels.named('organization', 'Race', 10)).toHaveLength(1);
  });

  test.each<[string, string, object, string]>([
    ['an add-on', 'addons', addon('Crash'), 'client_id'],
    ['an organization', 'organizations', { name: 'Crash' }, 'organization_id'],
    ['a publisher', 'publishers', { name: 'Crash Ltd' }, 'publisher_id'],
    ['a user', 'users', { email: 'crash@example.com', name: 'Crash', password, operator: true }, 'user_id'],
    ['an invitation', 'users', { email: 'invited@example.com', name: 'Invited', auditor: true }, 'user_id'],
    ['an invitation by its own name', 'users/invite', { email: 'two@example.com', name: 'Two' }, 'user_id'],
    ['a token', 'users/olive@example.com/tokens', { name: 'crash' }, 'token_id'],
    ['a secret', `addons/${clientId}/secrets`, {}, 'secret_id'],
    ['a signal stream', 'signals', { addon: clientId }, 'stream_id'],
  ])('%s is made once, although the process ends between append and answer', async (what, path, body, id) => {
    expectTrouble(/^error: request failed .*the process ends here/);
    const key = `crash-${what.replaceAll(' ', '-')}`;
    const before = (await http.store.head())?.commit ?? 0n;
    [isDying, beforeDying] = [true, before];
    expect((await post(path, body, { key, app: other })).status).toBe(500);
    const middle = (await http.store.head())?.commit ?? 0n;
    expect(middle).toBeGreaterThan(before);
    const again = await post(path, body, { key });
    expect([again.status < 300, typeof again.json[id]]).toEqual([true, 'string']);
    expect((await http.store.head())?.commit).toBe(middle);
    const third = await post(path, body, { key, app: other });
    expect(third.json).toEqual(again.json);
  });

  test('a crash that nobody noticed: a repeat waits half a minute, then makes the same', async () => {
    const key = 'k-silent';
    expect((await post('addons', addon('Silent'), { key })).status).toBe(201);
    await http.pool.query(
      `update done_once set response = null, running_until = begun_at + 30000
       where begun_at = (select max(begun_at) from done_once where id like 'key %')`,
    );
    expect((await post('addons', addon('Silent'), { key })).kind).toBe('idempotency-key-running');
    expect((await post('addons', addon('Loud'), { key })).kind).toBe('idempotency-key-reused');
    http.advance(31_000);
    const again = await post('addons', addon('Silent'), { key });
    expect(again.status).toBe(201);
    expect(await addonsNamed('Silent')).toBe(1);
    const secret = String(again.json['client_secret']);
    const { commands } = http;
    expect((await commands.listAddonSecrets(String(again.json['client_id'])))?.length).toBe(1);
    const { rows } = await http.pool.query<{ line: string }>('select t::text as line from done_once t');
    const kept = rows.map(({ line }) => line).join('\n');
    for (const hidden of [secret, 'k-silent', password, 'Silent', Buffer.from(secret).toString('hex')])
      expect(kept).not.toContain(hidden);
    const logged =
      JSON.stringify(http.lines) +
      JSON.stringify(
        await http.store.readStored(addonStream(String(again.json['client_id'])), 0n, 10),
        (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
      );
    expect(logged).not.toContain(secret);
  });

  test('after 24 hours the key is free', async () => {
    http.advance(24 * 3_600_000);
    const ozzy = await operatorApi(http, 'ozzy');
    await post('organizations', { name: 'Day one' }, { key: 'k-day', by: ozzy });
    http.advance(24 * 3_600_000 + 1);
    const opal = await operatorApi(http, 'opal');
    const fresh = await post('organizations', { name: 'Day two' }, { key: 'k-day', by: opal });
    expect(fresh.status).toBe(201);
  });
});
