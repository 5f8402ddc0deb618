import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorize } from '../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import { makeCountSilentGrant } from '../../../src/projections/working-state/silent-grants.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  obtainCode,
  obtainTokens,
  password,
  refreshWith,
  returned,
  setScene,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { basic } from '../../support/scenes/presented-tokens.ts';
import { readLimitItems } from '../../support/documents/structured-fields.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

let http: PluginApp;
let elsewhere = 0;
/** So that no test finds a network in which another one has asked. */
const network = () => `198.51.100.${(elsewhere += 1)}`;

const furnished = async (addon: Parameters<typeof setScene>[1] = {}): Promise<Scene> => {
  const scene = await setScene(http, addon);
  await activate(http, scene);
  return scene;
};
const subjectOf = ({ organizationId }: Scene) => `organization:${organizationId}`;
const statusesOf = async (count: number, ask: () => Promise<LightMyRequestResponse>) => {
  const statuses: number[] = [];
  for (let time = 0; time < count; time += 1) statuses.push((await ask()).statusCode);
  return statuses;
};
const post = (url: string, remoteAddress: string, fields: Record<string, string>, headers = {}) =>
  http.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { ...form, ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
const limitsOf = ({ headers }: LightMyRequestResponse) =>
  [headers['ratelimit-policy'], headers['ratelimit']].map((field) => readLimitItems(field)[0]?.name);

describe('DO-05: revoke, introspect and authorize are limited per client and network', () => {
  beforeAll(async () => {
    http = await startPlugins([authorize, tokenEndpoints], {
      quotas: { authorize: 4, revoke: 4, introspect: 4 },
    });
  });
  afterAll(() => http.close());

  test('giving back: 429 with Retry-After and RateLimit, in each network apart', async () => {
    const { clientId } = await furnished();
    const from = network();
    const give = (address = from) => post('/oauth/revoke', address, { client_id: clientId, token: 'none' });
    const first = await give();
    expect([first.statusCode, ...limitsOf(first)]).toEqual([200, 'revoke', 'revoke']);
    const statuses = await statusesOf(6, give);
    expect(statuses.at(-1)).toBe(429);
    const refused = await give();
    expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await give(network())).statusCode).toBe(200);
  });

  test('giving back a token works under the limit of anybody else, and ends it', async () => {
    const scene = await furnished();
    const tokens = await obtainTokens(http, scene, { subject: subjectOf(scene) });
    const { clientId: client_id } = scene;
    const from = network();
    const strangers = await statusesOf(12, () =>
      post('/oauth/revoke', from, { client_id, token: 'mkt_rt_x' }),
    );
    expect(strangers.slice(-3)).toEqual([429, 429, 429]);
    const given = await post('/oauth/revoke', from, { client_id, token: tokens.refresh_token });
    expect(given.statusCode).toBe(200);
    expect((await refreshWith(http, scene, tokens.refresh_token)).statusCode).toBe(400);
    const more = () => post('/oauth/revoke', from, { client_id, token: tokens.refresh_token });
    expect(await statusesOf(4, more)).toEqual([200, 200, 200, 429]);
  });

  test('another add-on’s token gives a stranger no part of its budget', async () => {
    const [mine, theirs] = [await furnished(), await furnished()];
    const own = await obtainTokens(http, mine, { subject: subjectOf(mine) });
    const { refresh_token: token } = await obtainTokens(http, theirs, { subject: subjectOf(theirs) });
    const from = network();
    const strange = () => post('/oauth/revoke', from, { client_id: mine.clientId, token });
    expect((await statusesOf(12, strange)).at(-1)).toBe(429);
    const fields = { client_id: mine.clientId, token: own.refresh_token };
    expect((await post('/oauth/revoke', from, fields)).statusCode).toBe(200);
  });

  test('looking into: a stranger with a wrong secret uses up nothing of the add-on’s', async () => {
    const scene = await furnished({ confidential: true });
    const from = network();
    const look = (secret = scene.clientSecret) =>
      post('/oauth/introspect', from, { token: 'none' }, basic(scene.clientId, String(secret)));
    const first = await look();
    expect([first.statusCode, ...limitsOf(first)]).toEqual([200, 'introspect', 'introspect']);
    expect((await statusesOf(8, () => look('wrong'))).slice(-3)).toEqual([429, 429, 429]);
    expect(await statusesOf(5, () => look())).toEqual([200, 200, 200, 200, 429]);
  });

  test('AZ-24: authorize shows a page with Retry-After; a silent request goes back to the add-on', async () => {
    const scene = await furnished();
    const from = network();
    const browser = testBrowser(http.app, { remoteAddress: from });
    const first = await browser.get(authorizeUrl(scene));
    expect([first.statusCode, ...limitsOf(first)]).toEqual([200, 'authorize', 'authorize']);
    await statusesOf(5, () => browser.get(authorizeUrl(scene)));
    const page = await browser.get(authorizeUrl(scene));
    expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
    const silent = await browser.get(authorizeUrl(scene, { prompt: 'none' }));
    expect(returned(silent)).toMatchObject({ error: 'temporarily_unavailable', state: 'st+&=%#' });
    const untrusted = { prompt: 'none', redirect_uri: 'https://elsewhere.example/' };
    expect((await browser.get(authorizeUrl(scene, untrusted))).statusCode).toBe(429);
    const other = await furnished();
    const neighbour = testBrowser(http.app, { remoteAddress: network() });
    expect((await neighbour.get(authorizeUrl(other))).statusCode).toBe(200);
  });
});

describe('GR-06: grants without a question, for one session and add-on', () => {
  let counted: TestReadModels;
  let other: PluginApp;
  beforeAll(async () => {
    counted = await testReadModels();
    const start = (beside?: PluginApp) =>
      startPlugins(
        (parts) => [authorize({ ...parts, countSilentGrant: makeCountSilentGrant(counted) }), session(parts)],
        beside,
      );
    http = await start();
    other = await start(http);
  });
  afterAll(async () => {
    for (const app of [http, other, counted]) await app.close();
  });

  const grants = async () => {
    let count = 0;
    const only = { eventTypes: ['AuthorizationCodeIssued'] };
    const { signal } = new AbortController();
    for await (const _ of http.store.readLog({ after: null, only, signal })) count += 1;
    return count;
  };

  test('at most 30 in any 60 s on all instances together; then a page, or a redirect with prompt=none', async () => {
    const scene = await furnished();
    const cookies = new Map<string, string>();
    const browsers = [http.app, other.app].map((app) => testBrowser(app, {}, cookies));
    const [browser] = browsers;
    if (!browser) throw new Error('no browser');
    await obtainCode(http, scene, { browser, subject: subjectOf(scene) });
    const before = await grants();
    const ask = (change = {}) =>
      Promise.all(
        browsers.flatMap((one) => Array.from({ length: 20 }, () => one.get(authorizeUrl(scene, change)))),
      );
    const answers = await ask();
    expect((await grants()) - before).toBe(30);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(10);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const silent = await browser.get(authorizeUrl(scene, { prompt: 'none' }));
    expect(returned(silent)['error']).toBe('temporarily_unavailable');
    // A part of the minute later there is room for as many as were made before it: the window slides.
    const slide = (count: number, milliseconds: number) =>
      counted.pool.query(
        'update silent_grants set times = (select array_agg(at - (case when nr <= $1 then $2 else 0 end) order by nr) from unnest(times) with ordinality as made (at, nr))',
        [count, milliseconds],
      );
    await slide(10, 60_001);
    await ask();
    expect((await grants()) - before).toBe(40);
  });

  test('a form that was used before costs none, and brings the first code again (FX-20)', async () => {
    const scene = await furnished();
    await obtainCode(http, scene, { subject: subjectOf(scene) });
    const browser = testBrowser(http.app);
    const page = await browser.get(authorizeUrl(scene));
    const resume = await browser.press(page, 'Sign in', { email: scene.email, password });
    const before = new Map(browser.cookies); // as a second tab has them at the same time
    const first = returned(await browser.follow(resume));
    expect(first).toHaveProperty('code');
    const again = await testBrowser(http.app, {}, before).follow(resume);
    expect(returned(again)).toEqual(first);
    const { rows } = await counted.pool.query<{ count: number }>(
      `select sum(cardinality(times))::int as count from silent_grants where key like '%' || $1`,
      [scene.clientId],
    );
    expect(rows[0]?.count).toBe(1);
  });

  test('another add-on, and another session, have their own', async () => {
    const [scene, other] = [await furnished(), await furnished()];
    const browser = testBrowser(http.app);
    await obtainCode(http, scene, { browser, subject: subjectOf(scene) });
    const answers = await statusesOf(31, () => browser.get(authorizeUrl(scene)));
    expect(answers.slice(-2)).toEqual([303, 429]);
    await activate(http, { ...scene, clientId: other.clientId });
    expect((await browser.get(authorizeUrl(other))).body).toContain('Allow Door Sync?');
    const fresh = testBrowser(http.app);
    await obtainCode(http, scene, { browser: fresh, subject: subjectOf(scene) });
    expect((await fresh.get(authorizeUrl(scene))).statusCode).toBe(303);
  });
});
