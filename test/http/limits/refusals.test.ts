import { afterAll, describe, expect, test } from 'vitest';
import { lists } from '../../../src/http/lists/lists.ts';
import { metrics } from '../../../src/http/metrics/metrics.ts';
import { authorize } from '../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  obtainTokens,
  postToken,
  setScene,
} from '../../support/scenes/http-scene.ts';
import { credentialsOf, present } from '../../support/scenes/presented-tokens.ts';

const http = await startPlugins(
  (parts) => [
    authorize(parts),
    lists(parts),
    metrics({ ...parts, metrics: () => Promise.resolve([]) }),
    tokenEndpoints(parts),
  ],
  { quotas: { activation: 40, addon: 400, token: 400 } },
);
const scene = await setScene(http);
const other = await setScene(http);
const confidential = await setScene(http, { confidential: true });
await activate(http, scene);
afterAll(() => http.close());

const refusalsNow = () => http.lines.filter(({ message }) => message === 'request refused');

/** What the one line says that a request has led to, and by how much its counter went up. */
const refusalOf = async (ask: () => Promise<unknown>) => {
  const before = refusalsNow().length;
  const counted = await counters();
  await ask();
  await expect.poll(() => refusalsNow().length).toBe(before + 1);
  const [line] = refusalsNow().slice(before);
  const { endpoint, reason, clientId } = (line?.fields ?? {}) as Record<string, string | null>;
  const name = `${endpoint} ${reason}`;
  return { told: name, clientId, more: ((await counters())[name] ?? 0) - (counted[name] ?? 0) };
};

const counters = async (): Promise<Readonly<Record<string, number>>> => {
  http.advance(1_001); // computed at most once a second
  const { body } = await http.app.inject('/metrics');
  const found = body.matchAll(/^grantbook_refusals_total\{endpoint="(.*?)",reason="(.*?)"\} (\d+)$/gm);
  return Object.fromEntries(
    [...found].map(([, endpoint, reason, value]) => [`${endpoint} ${reason}`, Number(value)]),
  );
};

const refresh = (refreshToken: string, clientId = scene.clientId, more = {}) =>
  postToken(http.app, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    ...more,
  });
const read = (token: string, url = '/profiles') =>
  http.app.inject({ url, headers: { authorization: `Bearer ${token}` } });

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('TR-05: a refusal has one line with its reason and the add-on, and counts by endpoint and reason', () => {
  const cases: readonly (readonly [told: string, ask: () => Promise<unknown>, clientId: string | null])[] = [
    ['token token-unknown', () => refresh('mkt_rt_nothing'), scene.clientId],
    ['token client-unknown', () => refresh('mkt_rt_nothing', nobody), nobody],
    ['token client-secret-missing', () => refresh('mkt_rt_x', confidential.clientId), confidential.clientId],
    [
      'token client-secret-wrong',
      () => refresh('mkt_rt_x', confidential.clientId, { client_secret: 'x' }),
      confidential.clientId,
    ],
    [
      'token client-secret-not-expected',
      () => refresh('mkt_rt_x', scene.clientId, { client_secret: 'x' }),
      scene.clientId,
    ],
    ['token client-id-missing', () => postToken(http.app, { grant_type: 'refresh_token' }), null],
    ['token parameter-missing', () => postToken(http.app, { client_id: scene.clientId }), scene.clientId],
    ['token grant-type-not-supported', () => postToken(http.app, { grant_type: 'password' }), null],
    [
      'token unsupported-media-type',
      () => postToken(http.app, { x: '1' }, { 'content-type': 'application/json' }),
      null,
    ],
    ['token method-not-allowed', () => http.app.inject('/oauth/token'), null],
    [
      'revoke parameter-missing',
      () => present(http.app, '/oauth/revoke', { client_id: scene.clientId }),
      scene.clientId,
    ],
    ['introspect client-id-missing', () => present(http.app, '/oauth/introspect', { token: 'x' }), null],
    [
      'introspect client-is-public',
      () => present(http.app, '/oauth/introspect', { token: 'x', client_id: scene.clientId }),
      scene.clientId,
    ],
    [
      'introspect token-inactive',
      () => present(http.app, '/oauth/introspect', { token: 'x' }, credentialsOf(confidential).headers),
      confidential.clientId,
    ],
    ['authorize client-unknown', () => http.app.inject(authorizeUrl({ clientId: nobody })), nobody],
    [
      'authorize client-unknown',
      () => http.app.inject(authorizeUrl({ clientId: 'somebody@example.com' })),
      null,
    ],
    [
      'authorize redirect-uri-not-registered',
      () => http.app.inject(authorizeUrl(scene, { redirect_uri: 'https://evil.example/' })),
      scene.clientId,
    ],
    [
      'authorize pkce-missing',
      () => http.app.inject(authorizeUrl(scene, { code_challenge: undefined })),
      scene.clientId,
    ],
    [
      'authorize sign-in-needed',
      () => http.app.inject(authorizeUrl(scene, { prompt: 'none' })),
      scene.clientId,
    ],
    [
      'authorize interaction-malformed',
      () => http.app.inject('/oauth/authorize/continue?interaction=x'),
      null,
    ],
    ['profiles token-missing', () => http.app.inject('/profiles'), null],
    ['reservations token-unknown', () => read('mkt_at_nothing', '/reservations'), null],
  ];
  test.each(cases)('%s', async (told, ask, clientId) =>
    expect(await refusalOf(ask)).toEqual({ told, clientId, more: 1 }),
  );

  test('every inner reason of an invalid_grant is distinguished, although the answer tells nobody', async () => {
    const { clientId } = scene;
    const first = await obtainTokens(http, scene, { subject: 'user' });
    const foreign = await refusalOf(() => refresh(first.refresh_token, other.clientId));
    expect(foreign).toEqual({ told: 'token token-of-another-client', clientId: other.clientId, more: 1 });
    await refresh(first.refresh_token);
    http.advance(120_000);
    const reused = await refusalOf(() => refresh(first.refresh_token));
    expect(reused).toEqual({ told: 'token token-reused', clientId, more: 1 });
    expect((await refusalOf(() => refresh(first.refresh_token))).told).toBe('token grant-revoked');
    expect((await refusalOf(() => read(first.access_token, '/access-rights'))).told).toBe(
      'access-rights token-revoked',
    );

    const second = await obtainTokens(http, scene, { subject: 'user' });
    expect(await http.commands.suspendAddon(clientId)).toMatchObject({ ok: true });
    expect((await refusalOf(() => refresh(second.refresh_token))).told).toBe('token addon-suspended');
    expect((await refusalOf(() => read(second.access_token))).told).toBe('profiles addon-suspended');
    await http.commands.resumeAddon(clientId);
    await http.commands.disableUser(scene.userId);
    expect((await refusalOf(() => read(second.access_token))).told).toBe('profiles account-disabled');
    expect((await refusalOf(() => refresh(second.refresh_token))).told).toBe('token account-disabled');
    await http.commands.enableUser(scene.userId);
    const third = await obtainTokens(http, scene, { subject: 'user' });
    http.advance(400 * 86_400_000);
    expect((await refusalOf(() => refresh(third.refresh_token))).told).toBe('token token-expired');
  });

  test('a request too many is reported by its reason, too', async () => {
    const { access_token } = await obtainTokens(http, other, { subject: 'user' });
    const ask = async () => (await read(access_token)).statusCode;
    const counted = (await counters())['profiles too-many-requests'] ?? 0;
    for (let asked = 0; (await ask()) !== 429; asked += 1) expect(asked).toBeLessThan(100);
    await expect
      .poll(() => refusalsNow().at(-1)?.fields)
      .toMatchObject({
        endpoint: 'profiles',
        reason: 'too-many-requests',
        clientId: other.clientId,
      });
    expect((await counters())['profiles too-many-requests']).toBe(counted + 1);
  });

  test('nothing that was sent is in a line or a label but an id of the form of ours, and nothing is unexplained', async () => {
    await refresh('mkt_rt_hush', 'hush@example.com', { client_secret: 'hush', hush: 'hush' });
    await http.app.inject(
      authorizeUrl({ clientId: 'hush' }, { state: 'hush', redirect_uri: 'https://hush.example' }),
    );
    const labels = Object.keys(await counters());
    expect(JSON.stringify([refusalsNow(), labels])).not.toContain('hush');
    expect(labels.filter((label) => label.includes('unexplained'))).toEqual([]);
  });
});
