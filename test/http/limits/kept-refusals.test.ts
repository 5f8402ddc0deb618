import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../../src/process/package-root.ts';
import type { Json } from '../../../src/tasks/task.ts';
import { runOverApi } from '../../cli/remote/run-remote.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  obtainCode,
  postToken,
  publish,
  redirectUri,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { verifier } from '../../support/scenes/grants.ts';
import { credentialsOf, present } from '../../support/scenes/presented-tokens.ts';
import { freePort } from '../../support/servers/free-port.ts';

const port = await freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const http = await startHttpApp({
  config: { baseUrl },
  around: (parts) => ({ ...parts, version: packageVersion }),
});
afterAll(() => http.close());
await http.app.listen({ host: '127.0.0.1', port });
const scene = await setScene(http, { confidential: true });
const other = await setScene(http);
const operator = { email: 'olga@grantbook.example' };
const olga = await createUser(http, operator.email, [], { name: 'Olga', roles: ['operator'] });
await publish(http, scene.clientId, scene.userId);
await activate(http, scene);
await http.settle();

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const { clientId } = scene;
const read = (token: string, url: string) =>
  http.app.inject({ url, headers: { authorization: `Bearer ${token}` } });

const tokenOf = async (userId: string) => {
  const asked = { userId, organizationId: null, name: 'daily work', days: 1, by: userId };
  return valueOf(await http.commands.issueAdministratorToken(asked)).token;
};
const [ofOperator, ofPublisher, ofStranger] = [
  await tokenOf(olga),
  await tokenOf(scene.userId),
  await tokenOf(other.userId),
];

const refusalsOf = async (addonId: string, root = '/operator/api', token = ofOperator) => {
  await http.storeUsage();
  const answer = await read(token, `${root}/addons/${addonId}/refusals`);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()]);
  return answer.json<{ items: readonly Json[] }>().items;
};
const told = (refusals: readonly Json[]) =>
  refusals.map(({ endpoint, reason }) => `${String(endpoint)} ${String(reason)}`);

const hush = '<hush>\u0000"hush';

describe('FX-78: why an add-on was refused is kept', () => {
  let accessToken = '';
  beforeAll(async () => {
    const code = await obtainCode(http, scene, { subject: `organization:${scene.organizationId}` });
    const secret = { client_id: clientId, client_secret: scene.clientSecret ?? '' };
    const sent = { code, redirect_uri: redirectUri, code_verifier: verifier };
    const answer = await postToken(http.app, { ...secret, ...sent, grant_type: 'authorization_code' });
    accessToken = answer.json<{ access_token: string }>().access_token;
  });

  const post = (form: Readonly<Record<string, string>>, headers = {}) => postToken(http.app, form, headers);
  const refresh = { grant_type: 'refresh_token', refresh_token: 'mkt_rt_hush', client_id: clientId };
  const cases: readonly (readonly [refusal: string, ask: () => Promise<unknown>])[] = [
    ['token client-secret-wrong', () => post({ ...refresh, client_secret: hush })],
    ['token client-secret-missing', () => post(refresh)],
    ['token token-unknown', () => post({ ...refresh, client_secret: scene.clientSecret ?? '' })],
    [
      'revoke client-secret-missing',
      () => present(http.app, '/oauth/revoke', { client_id: clientId, token: hush }),
    ],
    [
      'introspect token-inactive',
      () => present(http.app, '/oauth/introspect', { token: hush }, credentialsOf(scene).headers),
    ],
    [
      'authorize redirect-uri-not-registered',
      () => http.app.inject(authorizeUrl(scene, { redirect_uri: 'https://hush.example/', state: hush })),
    ],
    ['authorize scope-malformed', () => http.app.inject(authorizeUrl(scene, { scope: hush }))],
    ['signals insufficient-scope', () => read(accessToken, '/ssf/streams')],
    [
      'access-rights token-expired',
      () => {
        http.advance(2 * 3_600_000);
        return read(accessToken, '/access-rights');
      },
    ],
    ['signals token-expired', () => read(accessToken, '/ssf/status?stream_id=hush')],
  ];

  test.each(cases)('%s', async (refusal, ask) => {
    const before = await refusalsOf(clientId);
    await ask();
    const now = await refusalsOf(clientId);
    expect(told(now)).toEqual([refusal, ...told(before)]);
    expect(now[0]).toEqual({
      refusal_id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      endpoint: refusal.split(' ')[0],
      reason: refusal.split(' ')[1],
      network: '127.0.0.0/24',
    });
  });

  test('with nothing that was sent, and nothing of an id that no add-on has', async () => {
    for (const id of [nobody, hush])
      for (const ask of [
        () => post({ ...refresh, client_id: id }),
        () => http.app.inject(authorizeUrl({ clientId: id })),
        () => present(http.app, '/oauth/introspect', { client_id: id, token: hush }),
      ])
        await ask();
    await http.storeUsage();
    const { rows } = await http.pool.query<Record<string, unknown>>('select * from addon_refusals');
    expect(rows.length).toBe(cases.length);
    expect(new Set(rows.map((row) => row['addon_id']))).toEqual(new Set([clientId]));
    expect(JSON.stringify(rows)).not.toMatch(/hush|mkt_/);
  });

  test('its publisher sees the same by API, command line and page, and nobody else does', async () => {
    const asOperator = await refusalsOf(clientId);
    expect(await refusalsOf(clientId, '/publisher/api', ofPublisher)).toEqual(asOperator);
    for (const [root, status] of [
      ['/publisher/api', 404],
      ['/operator/api', 403],
    ] as const)
      expect((await read(ofStranger, `${root}/addons/${clientId}/refusals`)).statusCode).toBe(status);
    expect(await refusalsOf(other.clientId)).toEqual([]);

    const page = await (await signedIn(http, scene)).get(`/publisher/addons/${clientId}`);
    expect(page.body).toMatch(
      /id="refusals"[^]*<a href="\/problems\/token-expired"><bdi class="name">token-expired<\/bdi><\/a>[^]*<a href="\/problems\/refused-client-secret-wrong"/,
    );
    const operators = await signedIn(http, operator);
    const tab = await operators.get(`/operator/addons/${clientId}/refusals`);
    expect(tab.body).toContain(
      '<a href="/problems/refused-client-secret-wrong"><bdi class="name">client-secret-wrong</bdi></a>',
    );
    expect(tab.body).toContain('127.0.0.0/24');
    for (const [, address = ''] of tab.body.matchAll(/href="(\/problems\/[^"]+)"/g))
      expect([address, (await http.app.inject(address)).statusCode]).toEqual([address, 200]);

    for (const [token, words] of [
      [ofOperator, 'addon refusals'],
      [ofPublisher, 'publisher refusals'],
    ] as const) {
      const run = (...more: readonly string[]) =>
        runOverApi(baseUrl, [...words.split(' '), clientId, ...more], { env: { GRANTBOOK_TOKEN: token } });
      const { json, stderr, exitCode } = await run('--json');
      expect([exitCode, stderr, json['items']]).toEqual([0, '', asOperator]);
      expect((await run()).stdout).toMatch(/client-secret-wrong +token +127\.0\.0\.0\/24/);
    }
  });
});
