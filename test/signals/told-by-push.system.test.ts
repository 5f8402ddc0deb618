import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { receiveByPush } from '../../docs/examples/receive-by-push.ts';
import { httpParts } from '../../src/compose/http.ts';
import { composeService } from '../../src/compose/service.ts';
import { startWorkers } from '../../src/compose/workers.ts';
import { readConfig } from '../../src/config/config.ts';
import { composeServer } from '../../src/compose/server.ts';
import { ownType, streamTypes } from '../../src/signals/set-types.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { valueOf } from '../support/outcomes.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import { startTestServers } from '../support/test-servers.ts';
import { leaderLock } from '../../src/projections/database/installation.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';
import { newAddon, newUser } from '../support/registering.ts';

// What a busy machine has not stopped within the time of a stop ends with the event store.
allowTrouble(/the event store was closed/);

/** The composition of the process: from a decision to its SET at a receiver that is pushed to. */

type Pushed = { readonly headers: IncomingHttpHeaders; readonly set: string };

const startReceiver = async () => {
  const pushed: Pushed[] = [];
  const state = { status: 202 };
  const server: Server = createServer((request, answer) => {
    void text(request).then((set) => {
      pushed.push({ headers: request.headers, set });
      answer.writeHead(state.status).end(JSON.stringify({ err: 'invalid_key', description: 'which key?' }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  /** What was pushed since then, each SET once: one that is not known to be taken is pushed again. */
  const typesOf = (since = 0) => {
    const sets = pushed.slice(since).map(({ set }) => decodeJwt(set));
    return [...new Map(sets.map(({ jti, events }) => [jti, Object.keys(events as object)[0]])).values()];
  };
  return { url, pushed, state, typesOf, close: () => server.close() };
};

const startService = async () => {
  const { stores } = await startTestServers();
  const newKey = () => randomBytes(32).toString('base64url');
  const config = readConfig({
    NODE_ENV: 'test',
    TOKEN_KEYS: `k1:${newKey()}`,
    PERSONAL_DATA_KEYS: `p1:${newKey()}`,
  });
  const core = await composeService(config, stores, watchedLogger());
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  let workers = await startWorkers(core, baseUrl);
  const app = composeServer(httpParts(core, () => workers, { baseUrl }));
  await app.listen({ port: Number(new URL(baseUrl).port), host: '127.0.0.1' });
  const client = new pg.Client({ connectionString: stores.databaseUrl });
  await client.connect();
  return {
    core,
    app,
    baseUrl,
    query: (sql: string) => client.query(sql),
    async jwks() {
      return (await app.inject({ url: '/oauth/jwks' })).json<JSONWebKeySet>();
    },
    stopWorkers: () => workers.stop(),
    async startWorkers() {
      workers = await startWorkers(core, baseUrl);
    },
    async close() {
      await workers.stop();
      await app.close();
      await core.close();
      await client.end();
    },
  };
};

const [service, receiver] = [await startService(), await startReceiver()];
afterAll(async () => {
  receiver.close();
  await service.close();
});

const type = (name: 'addon-activated' | 'addon-deactivated') => ownType(service.baseUrl, name);
const password = 'correct horse battery staple';
const authorization = 'Bearer receivers-own-secret';

/** An organization with its administrator, and an add-on that is told by push. */
const setScene = async (name: string, endpointUrl: string) => {
  const { commands } = service.core;
  const { organizationId } = valueOf(await commands.createOrganization({ name: 'Harbour Club' }));
  const by = await newUser(commands, {
    email: `${name}@harbour.example`,
    name: 'Ada Ahoi',
    password,
    administratorOf: [organizationId],
    roles: ['operator'],
  });
  const { clientId: addonId } = await newAddon(commands, { confidential: true });
  const eventsRequested = [type('addon-activated'), type('addon-deactivated')];
  const configuration = {
    method: 'push',
    endpointUrl,
    authorization,
    eventsRequested,
    description: null,
  } as const;
  const created = await commands.createSignalStream({ addonId, caller: 'addon', configuration });
  return {
    organizationId,
    userId: by,
    addonId,
    streamId: valueOf(created).stream.streamId,
    activate: async () =>
      valueOf(await commands.activateAddon({ organizationId, addonId, by, sessionId: null })),
    deactivate: async () => valueOf(await commands.deactivateAddon({ organizationId, addonId, by })),
  };
};

test('SG-08: a decision is pushed, signed, through restarts, a receiver that fails for 72 h, a pause and its end', async () => {
  const { commands } = service.core;
  const { organizationId, userId, addonId, streamId, activate, deactivate } = await setScene(
    'ada',
    receiver.url,
  );
  const quiet = valueOf(await commands.createOrganization({ name: 'Quiet Club' }));
  valueOf(await commands.addAdministrator({ organizationId: quiet.organizationId, userId }));
  const expected: string[] = [];
  const told = (...types: readonly string[]) => {
    expected.push(...types);
    return eventually(() => expect(receiver.typesOf()).toEqual(expected));
  };

  await activate();
  await deactivate();
  await told(type('addon-activated'), type('addon-deactivated'));
  const [{ headers, set } = { headers: {}, set: '' }] = receiver.pushed;
  expect(headers).toMatchObject({
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    authorization,
  });
  const { protectedHeader } = await jwtVerify(set, createLocalJWKSet(await service.jwks()), {
    issuer: service.baseUrl,
    audience: addonId,
    typ: 'secevent+jwt',
  });
  expect(protectedHeader.alg).toBe('RS256');
  const { rows } = await service.query('select authorization_header::text as kept from signal_streams');
  expect(JSON.stringify(rows)).not.toContain('receivers-own-secret');

  await service.stopWorkers();
  await activate();
  await service.startWorkers();
  await told(type('addon-activated'));

  receiver.state.status = 400;
  await deactivate();
  await eventually(() =>
    expect(receiver.typesOf().slice(expected.length)).toContain(type('addon-deactivated')),
  );
  await eventually(async () => {
    const sql = `update signal_sets set failing_since = failing_since - interval '72 hours' where attempts > 0 returning 1`;
    expect((await service.query(sql)).rowCount).toBe(1);
  });
  await eventually(async () =>
    expect(await commands.findSignalStream(addonId)).toMatchObject({
      streamId,
      status: 'paused',
      reason: expect.stringMatching(
        /^Pushes have failed since .*; the last one: the receiver answered 400 instead of 202: invalid_key: which key\?$/,
      ) as string,
    }),
  );
  await activate();
  receiver.state.status = 202;
  await eventually(async () => {
    const { rows: streams } = await service.query(`select status, last_error from signal_streams`);
    expect(streams).toEqual([
      { status: 'paused', last_error: expect.stringMatching(/^answered 400/) as string },
    ]);
  });
  const browser = testBrowser(service.app);
  await browser.signIn('ada@harbour.example', password);
  await eventually(async () => {
    const { body } = await browser.get(`/admin/organizations/${organizationId}/addons/${addonId}`);
    expect(wordsOf(body)).toMatch(
      /Notified of Changes of its access, by pushes to its server Paused 3 messages delivered, the last one on .* \. 2 waiting since .* \. The last attempt failed: its server answered 400 instead of 202: invalid_key: which key\?/,
    );
    const elsewhere = await browser.get(`/admin/organizations/${quiet.organizationId}/addons/${addonId}`);
    expect(wordsOf(elsewhere.body)).toContain(
      'Notified of Changes of its access, by pushes to its server Paused 0 messages delivered. None waiting. Pushes to its server failed. May ask for',
    );
    // PG-06: so that an administrator sees it before somebody misses the messages.
    expect(wordsOf((await browser.get('/admin')).body)).toMatch(
      /: Door Sync cannot be notified of changes of access\./,
    );
    const list = await browser.get(`/admin/organizations/${organizationId}`);
    expect(wordsOf(list.body)).toContain('Cannot be notified');
    expect(wordsOf((await browser.get('/operator')).body)).toContain(
      'Needs attention: 1 add-on cannot be notified by push.',
    );
  });
  const before = receiver.pushed.length;
  valueOf(
    await commands.setSignalStreamStatus({
      streamId,
      caller: 'addon',
      status: 'enabled',
      reason: null,
      by: 'receiver',
    }),
  );
  await eventually(() => {
    const since = receiver.typesOf(before);
    const ofOrganization = since.filter((one) => one !== streamTypes.streamUpdated);
    expect(ofOrganization).toEqual([type('addon-deactivated'), type('addon-activated')]);
    expect(since).toContain(streamTypes.streamUpdated);
  });
  const jtis = (name: 'addon-deactivated') =>
    receiver.pushed
      .map(({ set: one }) => decodeJwt(one))
      .filter(({ events }) => type(name) in (events as object))
      .map(({ jti }) => jti);
  expect(new Set(jtis('addon-deactivated').slice(1)).size).toBe(1); // repeats have the same jti
});

test('SG-08: what the log says of a stream holds for its pushes, though the worker that follows it is far behind', async () => {
  const { commands } = service.core;
  const [before, after] = [await startReceiver(), await startReceiver()];
  onTestFinished(() => void [before.close(), after.close()]);
  before.state.status = 503;
  const scene = await setScene('cleo', before.url);
  await scene.activate();
  await eventually(() => expect(before.pushed).not.toEqual([]));
  await service.stopWorkers();
  const isBehind = `advisory_lock(${leaderLock(`'signals'`)})`; // another one leads, and does nothing
  await service.query(`select pg_${isBehind}`);
  const { streamId } = scene;
  valueOf(
    await commands.changeSignalStream({ streamId, caller: 'addon', change: { endpointUrl: after.url } }),
  );
  const known = before.pushed.length;
  await service.startWorkers();
  await pause(1_000);
  expect([before.pushed.length, after.pushed]).toEqual([known, []]);
  await service.query(`select pg_${isBehind.replace('lock', 'unlock')}`);
  await eventually(() => expect(after.typesOf()).toEqual([type('addon-activated')]));
  expect(before.pushed.length).toBe(known);
});

test('SG-08: the same of a stream that the worker has not come to', async () => {
  const { app, core, query } = service;
  const [before, after] = [await startReceiver(), await startReceiver()];
  onTestFinished(() => void [before.close(), after.close()]);
  before.state.status = 503;
  await service.stopWorkers();
  const isBehind = `advisory_lock(${leaderLock(`'signals'`)})`; // another one leads, and does nothing
  await query(`select pg_${isBehind}`);
  await service.startWorkers();
  const { addonId, streamId } = await setScene('dora', before.url);
  const [{ secretId } = { secretId: '' }] = (await core.commands.listAddonSecrets(addonId)) ?? [];
  const issued = await core.commands.issueAddonToken({ addonId, secretId, scopes: ['ssf.manage'] });
  const verified = await app.inject({
    method: 'POST',
    url: '/ssf/verify',
    headers: { authorization: `Bearer ${valueOf(issued).accessToken}` },
    payload: { stream_id: streamId },
  });
  expect(verified.statusCode).toBe(204);
  await eventually(() => expect(before.typesOf()).toEqual([streamTypes.verification]));
  const change = { endpointUrl: after.url };
  await service.stopWorkers(); // no push is under way
  valueOf(await core.commands.changeSignalStream({ streamId, caller: 'addon', change }));
  const known = before.pushed.length;
  await service.startWorkers();
  await pause(2_500);
  expect([before.pushed.length, after.pushed]).toEqual([known, []]);
  await query(`select pg_${isBehind.replace('lock', 'unlock')}`);
  await eventually(() => expect(after.typesOf()).toEqual([streamTypes.verification]));
  expect(before.pushed.length).toBe(known);
});

/** What a reader of the page sees. */
const wordsOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('SG-13: the receiver of pushes that docs/tutorials/receive-signals.md leads to has 30 lines', () => {
  const source = read('docs/examples/receive-by-push.ts');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(read('docs/tutorials/receive-signals.md')).toContain('(../examples/receive-by-push.ts)');
});

test('SG-13: the receiver of pushes takes what is its own, and says what is wrong with anything else', async () => {
  const handled: string[] = [];
  const start = async (port: number, clientId: string) => {
    const server = receiveByPush({ issuer: service.baseUrl, clientId, authorization }, ({ events }) => {
      handled.push(...Object.keys(events as object));
      return Promise.resolve();
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
  };
  const ports = [await freePort(), await freePort()] as const;
  const urlAt = (port: number) => `http://127.0.0.1:${port}/events`;
  const foreign = await setScene('eve', urlAt(ports[0]));
  await start(ports[0], 'another-add-on');
  await foreign.activate();
  const failure = async () =>
    (await service.query(`select last_error from signal_streams where stream_id = '${foreign.streamId}'`))
      .rows;
  await eventually(async () => {
    const said =
      /^answered 400 instead of 202: invalid_request: not a SET for me: unexpected "aud" claim value$/;
    expect(await failure()).toEqual([{ last_error: expect.stringMatching(said) as string }]);
  });
  expect(handled).toEqual([]);
  const scene = await setScene('bo', urlAt(ports[1]));
  await start(ports[1], scene.addonId);
  await scene.activate();
  await scene.deactivate();
  await eventually(() => expect(handled).toEqual([type('addon-activated'), type('addon-deactivated')]));
  const withoutHeader = await fetch(urlAt(ports[1]), { method: 'POST', body: 'x' });
  expect(withoutHeader.headers.get('content-language')).toBe('en'); // RFC 8935 §2.3
  expect(await withoutHeader.json()).toMatchObject({ err: 'authentication_failed' });
});
