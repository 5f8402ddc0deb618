import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { receiveByPoll } from '../../docs/examples/receive-by-poll.ts';
import { receiveByPush } from '../../docs/examples/receive-by-push.ts';
import { eventually } from '../support/eventually.ts';
import { valueOf } from '../support/outcomes.ts';
import { freePort } from '../support/servers/free-port.ts';
import { grantedBy, makeCast, run } from '../operations/running.ts';
import { startTestServers } from '../support/test-servers.ts';
import { newAddon } from '../support/registering.ts';

/** Two instances of the service, an add-on that polls the one or the other, and the receivers of docs/examples. */
const { stores } = await startTestServers();
const port = await freePort();
const issuer = `http://127.0.0.1:${port}`;
const settings = { RECORDS_SIGNAL_INTERVAL: '1', BASE_URL: issuer };
const instances = [await run(stores, settings), await run(stores, settings)] as const;
const [first, second] = instances;
await Promise.all(instances.map(({ workers }) => workers.ready));
await first.app.listen({ port, host: '127.0.0.1' });
const cast = await makeCast(first.core);
const type = `${issuer}/signals/records-changed`;
const redirectUri = 'https://addon.example/cb';

type Told = Readonly<Record<string, unknown>>;
const toldIn = ({ jti, sub_id, events }: JWTPayload): Told => {
  const all = events as Readonly<Record<string, object>>;
  expect(Object.keys(all)).toEqual([type]);
  return { jti, sub_id, ...all[type] };
};
const pushed: Told[] = [];
let receiver: Server;
afterAll(async () => {
  receiver.close();
  await Promise.all(instances.map((instance) => instance.stop()));
});

const post = async (url: string, authorization: string, payload: object | string, at = first) => {
  const isForm = typeof payload === 'string';
  const type = isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
  return at.app.inject({ method: 'POST', url, headers: { authorization, ...type }, payload });
};

/** An add-on that the organization has activated and granted all lists, with a stream that it created itself. */
const receivingAddon = async (deliveryTo: (addonId: string) => Promise<object> | object) => {
  const { commands } = first.core;
  const allowedScopes = ['profiles:read', 'reservations:read', 'access-rights:read'] as const;
  const { clientId: addonId, clientSecret } = await newAddon(commands, {
    redirectUris: [redirectUri],
    allowedScopes,
    confidential: true,
  });
  const activation = { organizationId: cast.organizationId, addonId, by: cast.userId };
  valueOf(await commands.activateAddon({ ...activation, sessionId: null }));
  const subject = { kind: 'organization', organizationId: cast.organizationId, epoch: 1 } as const;
  const allowed = { addonId, userId: cast.userId, subject, scopes: allowedScopes };
  const { accessToken } = await grantedBy(commands, allowed);
  const basic = `Basic ${Buffer.from(`${addonId}:${clientSecret}`).toString('base64')}`;
  const form = 'grant_type=client_credentials&scope=ssf.manage';
  const own = `Bearer ${(await post('/oauth/token', basic, form)).json<{ access_token: string }>().access_token}`;
  const delivery = await deliveryTo(addonId);
  const made = await post('/ssf/streams', own, { events_requested: [type], delivery });
  const stream = made.json<{ stream_id: string; events_delivered: string[]; events_supported: string[] }>();
  expect([made.statusCode, stream.events_delivered]).toEqual([201, [type]]);
  expect(stream.events_supported).toContain(type);
  return { ...activation, clientSecret, own, accessToken, streamId: stream.stream_id };
};
const byPoll = () => ({ method: 'urn:ietf:rfc:8936' });
const polling = await receivingAddon(byPoll);
await receivingAddon(async (clientId) => {
  const authorization = 'Bearer receivers-own-secret';
  receiver = receiveByPush({ issuer, clientId, authorization }, (set) => {
    pushed.push(toldIn(set));
    return Promise.resolve();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/signals`;
  const method = 'urn:ietf:rfc:8935';
  return { method, endpoint_url: endpoint, authorization_header: authorization };
});

const keys = createRemoteJWKSet(new URL(`${issuer}/oauth/jwks`));
const verified = async (set: string): Promise<Told> =>
  toldIn((await jwtVerify(set, keys, { issuer, audience: polling.addonId, typ: 'secevent+jwt' })).payload);

/** Polls both instances in turns; acknowledges with the next poll. */
const poll = (() => {
  let [ack, polls] = [[] as string[], 0];
  return async () => {
    const at = instances[(polls += 1) % 2];
    const payload = { returnImmediately: true, ack };
    const answer = await post(`/ssf/poll/${polling.streamId}`, polling.own, payload, at);
    const { sets } = answer.json<{ sets: Record<string, string> }>();
    ack = Object.keys(sets);
    return Promise.all(Object.values(sets).map(verified));
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
const commitOf = ({ position }: Told): bigint => BigInt(String(position).split('/')[0] ?? '');

const changes = async (token: string) => {
  const headers = { authorization: `Bearer ${polling.accessToken}` };
  const answer = await second.app.inject({ url: `/profiles?per_page=100&sync_token=${token}`, headers });
  return answer.json<{ items: { id: string }[]; sync_token: string }>();
};

test('AP-06: by poll and by push an add-on is notified of the last change of a burst, once in an interval on two instances', async () => {
  const headers = { authorization: `Bearer ${polling.accessToken}` };
  const walked = (await first.app.inject({ url: '/profiles', headers })).json<{ sync_token: string }>();
  const began = Date.now();
  const got: Told[] = [];
  let last = 0n;
  for (let burst = 1; burst <= 3; burst += 1) {
    last = BigInt(await record(...Array.from({ length: 20 }, (_, i) => `B${burst}-${i}`)));
    await eventually(async () => {
      got.push(...(await poll()));
      expect(got.some((one) => commitOf(one) >= last)).toBe(true);
    });
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

  await eventually(() => expect(pushed.some((one) => commitOf(one) >= last)).toBe(true));
  expect(new Set(pushed.map(({ jti }) => jti)).size).toBeLessThanOrEqual(intervals + 20);
});

test('AP-06, SG-13: the receiver by poll of docs/examples is notified while it waits', async () => {
  const { addonId: clientId, clientSecret, streamId } = await receivingAddon(byPoll);
  const enough = new Error('enough');
  const got: Told[] = [];
  const receiving = receiveByPoll(
    { issuer, clientId, clientSecret: clientSecret ?? '', endpointUrl: `${issuer}/ssf/poll/${streamId}` },
    (set) => Promise.resolve(void got.push(toldIn(set))).then(() => Promise.reject(enough)),
  );
  const position = await record('D1');
  await expect(receiving).rejects.toBe(enough);
  expect(got).toMatchObject([{ list: 'profiles', position: `${position}/${position}` }]);
});

test('AP-06: an instance that stops leaves it to the other, and a deactivation ends it', async () => {
  await first.workers.stop();
  const last = BigInt(await record('C1'));
  const got: Told[] = [];
  const until = (check: () => void) =>
    eventually(async () => {
      got.push(...(await poll()));
      check();
    });
  await until(() => expect(got.map(commitOf)).toContain(last));

  const { addonId, organizationId, by } = polling;
  valueOf(await first.core.commands.deactivateAddon({ addonId, organizationId, by }));
  got.length = 0;
  const after = BigInt(await record('C2'));
  // The other add-on is notified of the same change: the instance has looked.
  await until(() => expect(pushed.some((one) => commitOf(one) >= after)).toBe(true));
  await poll();
  expect(got).toEqual([]);
});
