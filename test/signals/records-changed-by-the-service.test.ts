import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, expect, test, vi } from 'vitest';
import { challenge, verifier } from '../support/scenes/grants.ts';
import { valueOf } from '../support/outcomes.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { startTestNode } from '../support/servers/node.ts';
import { makeCast, run } from '../operations/running.ts';

/** Two instances of the service, an add-on that polls the one or the other, and one that is pushed to. */
const node = await startTestNode();
const database = await migratedDatabase();
const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
const settings = { RECORDS_SIGNAL_INTERVAL: '1' };
const instances = [await run(stores, settings), await run(stores, settings)] as const;
const [first, second] = instances;
await Promise.all(instances.map(({ workers }) => workers.ready));
const cast = await makeCast(first.core);
const issuer = 'http://127.0.0.1';
const type = `${issuer}/signals/records-changed`;
const redirectUri = 'https://addon.example/cb';

type Claims = { readonly jti: string; readonly sub_id: object; readonly events: Record<string, object> };
const pushed: string[] = [];
const receiver = createServer((request, answer) => {
  void text(request).then((set) => {
    pushed.push(set);
    answer.writeHead(202).end();
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(async () => {
  receiver.close();
  await Promise.all(instances.map((instance) => instance.stop()));
  await node.close();
  await database.drop();
});

const post = async (url: string, authorization: string, payload: object | string, at = first) => {
  const isForm = typeof payload === 'string';
  const type = isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
  return at.app.inject({ method: 'POST', url, headers: { authorization, ...type }, payload });
};

/** An add-on that the organization has activated and granted all lists, with a stream that it created itself. */
const receivingAddon = async (delivery: object) => {
  const { commands } = first.core;
  const allowedScopes = ['profiles:read', 'reservations:read', 'access-rights:read'] as const;
  const { clientId: addonId, clientSecret } = valueOf(
    await commands.registerAddon({
      name: 'Door Sync',
      redirectUris: [redirectUri],
      configurationUrl: 'https://addon.example/',
      allowedScopes,
      confidential: true,
    }),
  );
  const activation = { organizationId: cast.organizationId, addonId, by: cast.userId };
  valueOf(await commands.activateAddon({ ...activation, sessionId: null }));
  const { code } = valueOf(
    await commands.issueCode({
      addonId,
      userId: cast.userId,
      subject: { kind: 'organization', organizationId: cast.organizationId, epoch: 1 },
      scopes: allowedScopes,
      redirectUri,
      nonce: null,
      resources: [],
      authTime: Date.now(),
      codeChallenge: challenge,
    }),
  );
  const { accessToken } = valueOf(
    await commands.exchangeCode({ addonId, code, redirectUri, codeVerifier: verifier, resources: null }),
  );
  const basic = `Basic ${Buffer.from(`${addonId}:${clientSecret}`).toString('base64')}`;
  const form = 'grant_type=client_credentials&scope=ssf.manage';
  const own = `Bearer ${(await post('/oauth/token', basic, form)).json<{ access_token: string }>().access_token}`;
  const made = await post('/ssf/streams', own, { events_requested: [type], delivery });
  const stream = made.json<{ stream_id: string; events_delivered: string[]; events_supported: string[] }>();
  expect([made.statusCode, stream.events_delivered]).toEqual([201, [type]]);
  expect(stream.events_supported).toContain(type);
  return { ...activation, own, accessToken, streamId: stream.stream_id };
};
const polling = await receivingAddon({ method: 'urn:ietf:rfc:8936' });
const { port } = receiver.address() as AddressInfo;
const waiting = await receivingAddon({
  method: 'urn:ietf:rfc:8935',
  endpoint_url: `http://127.0.0.1:${port}/signals`,
});

const verified = async (set: string, audience: string) => {
  const keys = createLocalJWKSet((await first.app.inject('/oauth/jwks')).json<JSONWebKeySet>());
  const { payload } = await jwtVerify(set, keys, { issuer, audience, typ: 'secevent+jwt' });
  const { jti, sub_id, events } = payload as unknown as Claims;
  expect(Object.keys(events)).toEqual([type]);
  return { jti, sub_id, ...events[type] } as Readonly<Record<string, unknown>>;
};

/** Polls both instances in turns; acknowledges with the next poll. */
const poll = (() => {
  let [ack, polls] = [[] as string[], 0];
  return async () => {
    const at = instances[(polls += 1) % 2];
    const payload = { returnImmediately: true, ack };
    const answer = await post(`/ssf/poll/${polling.streamId}`, polling.own, payload, at);
    const { sets } = answer.json<{ sets: Record<string, string> }>();
    ack = Object.keys(sets);
    return Promise.all(Object.values(sets).map((set) => verified(set, polling.addonId)));
  };
})();

const record = async (...ids: readonly string[]) => {
  const person = { name: 'Ada', email: 'a@example.com', userId: null, phone: null, locale: null };
  for (const id of ids)
    await first.core.commands.recordProfile({
      organizationId: cast.organizationId,
      id,
      version: 1,
      record: { ...person, externalId: null },
    });
  const newest = await first.core.store.readEnd(
    `profile-${cast.organizationId}.${ids.at(-1) ?? ''}`,
    'last',
    1,
  );
  return String(newest[0]?.position.commit);
};
const commitOf = ({ position }: Readonly<Record<string, unknown>>): bigint =>
  BigInt(String(position).split('/')[0] ?? '');

const changes = async (token: string) => {
  const headers = { authorization: `Bearer ${polling.accessToken}` };
  const answer = await second.app.inject({ url: `/profiles?per_page=100&sync_token=${token}`, headers });
  return answer.json<{ items: { id: string }[]; sync_token: string }>();
};

test('AP-06: by poll and by push an add-on is notified of the last change of a burst, once in an interval on two instances', async () => {
  const headers = { authorization: `Bearer ${polling.accessToken}` };
  const walked = (await first.app.inject({ url: '/profiles', headers })).json<{ sync_token: string }>();
  const began = Date.now();
  const got: Readonly<Record<string, unknown>>[] = [];
  let last = 0n;
  for (let burst = 1; burst <= 3; burst += 1) {
    last = BigInt(await record(...Array.from({ length: 20 }, (_, i) => `B${burst}-${i}`)));
    await vi.waitFor(
      async () => {
        got.push(...(await poll()));
        expect(got.some((one) => commitOf(one) >= last)).toBe(true);
      },
      { timeout: 20_000, interval: 20 },
    );
  }
  const intervals = Math.ceil((Date.now() - began) / 1000) + 1;
  expect(got.length).toBeLessThanOrEqual(intervals);
  for (const one of got)
    expect(one).toMatchObject({
      sub_id: { format: 'opaque', id: cast.organizationId },
      organization_id: cast.organizationId,
      list: 'profiles',
      reason: expect.stringMatching(/./) as string,
    });
  const { items } = await changes(walked.sync_token);
  expect(items.map(({ id }) => id)).toContain('B3-19');

  await vi.waitFor(
    async () => {
      const all = await Promise.all(pushed.map((set) => verified(set, waiting.addonId)));
      expect(all.some((one) => commitOf(one) >= last)).toBe(true);
      const jtis = new Set(all.map(({ jti }) => jti));
      expect(jtis.size).toBeLessThanOrEqual(intervals + 20);
    },
    { timeout: 20_000, interval: 20 },
  );
}, 60_000);

test('AP-06: an instance that stops leaves it to the other, and a deactivation ends it', async () => {
  await first.workers.stop();
  const last = BigInt(await record('C1'));
  const got: Readonly<Record<string, unknown>>[] = [];
  const until = (check: () => unknown) =>
    vi.waitFor(
      async () => {
        got.push(...(await poll()));
        await check();
      },
      { timeout: 20_000, interval: 20 },
    );
  await until(() => expect(got.map(commitOf)).toContain(last));

  const { addonId, organizationId, by } = polling;
  valueOf(await first.core.commands.deactivateAddon({ addonId, organizationId, by }));
  got.length = 0;
  const after = BigInt(await record('C2'));
  // The other add-on is notified of the same change: the instance has looked.
  await until(async () => {
    const all = await Promise.all(pushed.map((set) => verified(set, waiting.addonId)));
    expect(all.some((one) => commitOf(one) >= after)).toBe(true);
  });
  await poll();
  expect(got).toEqual([]);
}, 60_000);
