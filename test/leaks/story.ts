import { expect } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  listWith,
  obtainCode,
  obtainTokens,
  password,
  postToken,
  redirectUri,
  refreshWith,
  setScene,
  type Scene,
  type Tokens,
} from '../support/scenes/http-scene.ts';
import { verifier } from '../support/scenes/grants.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import { tellOfAdministratorTokens } from './administrator-tokens.ts';
import { tellOfIdentity } from './identity-story.ts';
import { refusedEverywhere } from './refused-everywhere.ts';
import type { WholeService } from './whole-service.ts';
import { eventually } from '../support/eventually.ts';

const wrongPassword = 'pässwörter, die niemand braucht & kennt';
const wrongVerifier = 'never-the-right-one-0123456789_abcdefghijklmnop';

/** All that can happen to a credential, right and wrong; what was used is remembered on the wire. */
export const tellTheStory = async (service: WholeService): Promise<void> => {
  const { http, secrets } = service;
  secrets.add('password', password);
  const scene = await setScene(http);
  const confidential = await setScene(http, { confidential: true });
  if (confidential.clientSecret === null) throw new Error('no secret');
  secrets.add('client_secret', confidential.clientSecret);
  await wrongSignIns(service, scene);
  await activateByHand(service, scene);
  await importRecords(service, scene);
  await failedExchanges(service, scene);
  await replayAndReuse(service, scene);
  await clientSecrets(service, confidential);
  await trouble(service, scene);
  await strangeRequests(service, scene);
  await tellOfIdentity(service);
  await tellOfAdministratorTokens(service, scene);
  await refusedEverywhere(service);
  await deactivateByHand(service, scene);
  await service.notePrivateKeys();
};

const wrongSignIns = async ({ http }: WholeService, { email }: Scene): Promise<void> => {
  const browser = testBrowser(http.app);
  const page = await browser.get('/sign-in');
  for (const who of [email, 'nobody@harbour.example'])
    await browser.press(page, 'Sign in', { email: who, password: wrongPassword });
  await browser.post('/sign-in', { interaction: `forged.${'f'.repeat(43)}`, email, password });
};

const activateByHand = async ({ http }: WholeService, { email, organizationId }: Scene): Promise<void> => {
  const browser = testBrowser(http.app);
  await browser.signIn(email, password);
  await browser.press(await browser.get(`/admin/organizations/${organizationId}`), 'Activate Door Sync');
  await http.settle();
};

const deactivateByHand = async ({ http }: WholeService, scene: Scene): Promise<void> => {
  const tokens = await obtainTokens(http, scene);
  const browser = testBrowser(http.app);
  await browser.signIn(scene.email, password);
  const place = `/admin/organizations/${scene.organizationId}/addons/${scene.clientId}`;
  await browser.follow(await browser.press(await browser.get(`${place}/deactivate`), 'Deactivate'));
  await listWith(http, '/profiles', tokens.access_token);
  await refreshWith(http, scene, tokens.refresh_token);
  await browser.press(await browser.get('/sign-out'), 'Sign out');
  await happened(http, 'RevocationCompleted');
};

const importRecords = async ({ http }: WholeService, { organizationId }: Scene): Promise<void> => {
  const none = { email: 'p@example.com', userId: null, phone: null, locale: null, externalId: null };
  for (const id of ['p1', 'p2'])
    await http.commands.recordProfile({ organizationId, id, version: 1, record: { name: id, ...none } });
  await http.settle();
};

const exchangeWith = ({ http }: WholeService, scene: Scene, code: string, changes: Record<string, string>) =>
  postToken(http.app, {
    grant_type: 'authorization_code',
    client_id: scene.clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes,
  });

const failedExchanges = async (service: WholeService, scene: Scene): Promise<void> => {
  const { http } = service;
  const code = await obtainCode(http, scene);
  await exchangeWith(service, scene, code, { code_verifier: wrongVerifier });
  await exchangeWith(service, scene, code, { redirect_uri: 'https://addon.example/other' });
  await exchangeWith(service, scene, `${code.slice(0, -1)}_`, {});
  const burnt = await obtainCode(http, scene);
  for (const _ of [1, 2, 3, 4]) await exchangeWith(service, scene, burnt, { code_verifier: wrongVerifier });
  const { access_token } = (await exchange(http, scene, code)).json<Tokens>();
  for (const list of ['profiles', 'reservations', 'access-rights'])
    await listWith(http, `/${list}`, access_token);
  await listWith(http, '/profiles', `${access_token}x`);
  await listWith(http, `/profiles?access_token=${access_token}&per_page=no`, '');
};

const replayAndReuse = async (service: WholeService, scene: Scene): Promise<void> => {
  const { http } = service;
  const code = await obtainCode(http, scene);
  const first = (await exchange(http, scene, code)).json<Tokens>();
  // Within a second it is a retry storm and not yet a theft (TC-12).
  await eventually(async () => {
    await exchange(http, scene, code);
    await seen(http, 'AuthorizationCodeReplayed');
  }, 200);
  await refreshWith(http, scene, first.refresh_token);
  const tokens = await obtainTokens(http, scene);
  const wide = { grant_type: 'refresh_token', client_id: scene.clientId, scope: 'openid' };
  await postToken(http.app, { ...wide, refresh_token: tokens.refresh_token });
  const next = (await refreshWith(http, scene, tokens.refresh_token)).json<Tokens>();
  await refreshWith(http, scene, tokens.refresh_token);
  await refreshWith(http, scene, next.refresh_token);
  await refreshWith(http, { clientId: scene.userId }, next.refresh_token);
};

const clientSecrets = async (service: WholeService, scene: Scene): Promise<void> => {
  const { http } = service;
  await activate(http, scene);
  const secret = scene.clientSecret ?? '';
  const code = await obtainCode(http, scene);
  const wrong = `mkt_cs_${'w'.repeat(43)}`;
  await exchangeWith(service, scene, code, {});
  await exchangeWith(service, scene, code, { client_secret: wrong });
  const basic = (value: string) => ({
    authorization: `Basic ${Buffer.from(`${scene.clientId}:${value}`).toString('base64')}`,
  });
  const tokens = (await exchangeWith(service, scene, code, { client_secret: secret })).json<Tokens>();
  const refreshing = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  await postToken(http.app, refreshing, basic(wrong));
  await postToken(http.app, { ...refreshing, client_secret: secret }, basic(secret));
  await postToken(http.app, refreshing, basic(secret));
  await endByAddon(service, scene, basic(secret));
};

const endByAddon = async (
  { http }: WholeService,
  scene: Scene,
  authorization: Record<string, string>,
): Promise<void> => {
  const code = await obtainCode(http, scene);
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const tokens = (await postToken(http.app, fields, authorization)).json<Tokens>();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...authorization };
  for (const end of ['introspect', 'revoke', 'introspect'])
    for (const token of [tokens.access_token, tokens.refresh_token, `${tokens.refresh_token}x`]) {
      const payload = new URLSearchParams({ token }).toString();
      await http.app.inject({ method: 'POST', url: `/oauth/${end}`, headers, payload });
      await http.app.inject({ method: 'POST', url: `/oauth/${end}?${payload}` });
    }
  await happened(http, 'AccessTokenRevoked');
};

/** Whatever is thrown on the way is logged with its cause: that is where secrets like to travel. */
const trouble = async (service: WholeService, scene: Scene): Promise<void> => {
  const { http, node, pool } = service;
  const tokens = await obtainTokens(http, scene);
  const code = await obtainCode(http, scene);
  await http.settle();
  await withoutTable(pool, 'fence', async () => {
    await exchange(http, scene, code);
    await refreshWith(http, scene, tokens.refresh_token);
    await listWith(http, '/profiles', tokens.access_token);
  });
  await withoutTable(pool, 'profiles', () => listWith(http, '/profiles', tokens.access_token));
  await pool
    .query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    .catch(() => undefined);
  await listWith(http, '/profiles', tokens.access_token);
  const ready = node.faults.notReady();
  const patient = refreshWith(http, scene, tokens.refresh_token);
  const waiting = await obtainTokens(http, scene).catch((error: unknown) => error);
  ready();
  await patient;
  node.faults.append({ kind: 'end', status: 'INTERNAL', written: true });
  await exchange(http, scene, code);
  if (!(waiting instanceof Error)) throw new Error('a node that is away should be noticed');
  // A connection that was opened while the fence was away led to another database, for all that the service knows.
  await eventually(() => expect(service.trusted()).toBe(true));
};

const withoutTable = async (
  pool: WholeService['pool'],
  table: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> => {
  await pool.query(`alter table ${table} rename to ${table}_away`);
  await meanwhile();
  await pool.query(`alter table ${table}_away rename to ${table}`);
};

const strangeRequests = async (service: WholeService, scene: Scene): Promise<void> => {
  const { http } = service;
  const code = await obtainCode(http, scene);
  const query = new URLSearchParams({ code, code_verifier: verifier, client_id: scene.clientId }).toString();
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const send = (url: string, headers: Record<string, string>, payload: string) =>
    http.app.inject({ method: 'POST', url, headers, payload });
  await send(`/oauth/token?${query}&grant_type=unheard_of`, form, '');
  await send(`/oauth/token?${query}`, form, query);
  await send('/oauth/token', { 'content-type': 'application/json' }, JSON.stringify({ code }));
  await send(`/oauth/tokens?${query}`, form, query);
  await http.app.inject({ method: 'GET', url: `/oauth/token;${query}` });
  await http.app.inject({ method: 'GET', url: authorizeUrl(scene, { code_challenge: '', code }) });
  await http.app.inject({ method: 'GET', url: authorizeUrl(scene, { redirect_uri: 'x:y', code }) });
};

/** @throws while no event of this type is in the log */
const seen = async (http: WholeService['http'], type: DomainEvent['type']): Promise<void> => {
  const leaving = new AbortController();
  try {
    for await (const message of http.store.subscribe({
      after: null,
      eventTypes: [type],
      signal: leaving.signal,
    })) {
      if (message.kind === 'event') return;
      if (message.kind === 'caught-up') throw new Error(`no ${type} yet`);
    }
  } finally {
    leaving.abort();
  }
};

const happened = (http: WholeService['http'], type: DomainEvent['type']): Promise<void> =>
  eventually(() => seen(http, type), 100);
