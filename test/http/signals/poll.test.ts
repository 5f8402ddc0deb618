import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import { longPollBodiesPerMinute } from '../../../src/http/limits/counters/rate-limits.ts';
import { queueSets } from '../../../src/signals/set-queue.ts';
import type { Queue, SetDraft } from '../../../src/signals/set-draft.ts';
import { keepStream } from '../../../src/signals/stream-table.ts';
import { startWakingPolls } from '../../../src/signals/wake-polls.ts';
import { startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import { setScene } from '../../support/scenes/http-scene.ts';
import { ownToken } from '../../support/scenes/told-addons.ts';
import { valueOf } from '../../support/outcomes.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const event = 'urn:test:told';

const http = await startHttpApp();
const waking = startWakingPolls({
  listener: http.listener,
  log: http.store,
  ...http.polls,
  logger: quietLogger(),
});
afterAll(async () => {
  await waking.stop();
  await http.close();
});

type Receiver = { readonly addonId: string; readonly streamId: string; readonly token: string };

const tokenOf = (addonId: string) => ownToken(http, addonId, 'ssf.read');

/** A confidential add-on with a poll stream, as the worker would have seen it. */
const receiver = async (method: 'poll' | 'push' = 'poll'): Promise<Receiver> => {
  const { commands, pool } = http;
  const { clientId: addonId } = await setScene(http, { confidential: true });
  const endpointUrl = method === 'push' ? 'https://addon.example/told' : null;
  const made = await commands.createSignalStream({
    addonId,
    caller: 'addon',
    configuration: { method, endpointUrl, authorization: null, eventsRequested: [event], description: null },
  });
  const { streamId } = valueOf(made).stream;
  const row = { streamId, addonId, method, endpointUrl, authorizationHeader: null, reason: null };
  const kept = { ...row, status: 'enabled', eventsRequested: [event] } as const;
  await inPoolTransaction(pool, (tx) => keepStream(tx, kept));
  return { addonId, streamId, token: await tokenOf(addonId) };
};

let told = 0;
/** Queues a SET as the worker does; returns its `jti`. */
const tell = async ({ addonId }: Receiver, queue: Queue = 'organization:o1'): Promise<string> => {
  told += 1;
  const draft: SetDraft = {
    addonId,
    queue,
    type: event,
    jti: `jti.${told}`,
    txn: 't',
    subId: { format: 'opaque', id: queue },
    payload: { place: told },
    at: Date.now(),
    position: { commit: BigInt(told), prepare: BigInt(told) },
    part: 0,
  };
  await inPoolTransaction(http.pool, (tx) => queueSets(tx, [draft]));
  return draft.jti;
};

const poll = (
  { streamId, token }: Pick<Receiver, 'streamId' | 'token'>,
  body: object | string = {},
  app: Pick<OwnHttpApp, 'app'>['app'] = http.app,
) =>
  app.inject({
    method: 'POST',
    url: `/ssf/poll/${streamId}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
const atOnce = { returnImmediately: true };

type Answer = { readonly sets: Readonly<Record<string, string>>; readonly moreAvailable?: boolean };
const jtis = (answer: { json: () => Answer }) => Object.keys(answer.json().sets);
const waiting = () => http.polls.places.count();

test('SG-07: a poll gets signed SETs, one of each queue; an acknowledgement lets the next one be offered in the same answer', async () => {
  const add = await receiver();
  const [first, second] = [await tell(add), await tell(add)];
  const other = await tell(add, 'user:u1');
  const answer = await poll(add, atOnce);
  expect(jtis(answer)).toEqual([first, other]);
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
  expect(answer.headers['cache-control']).toBe('no-store');
  const keys = createLocalJWKSet((await http.app.inject('/oauth/jwks')).json<JSONWebKeySet>());
  const { payload, protectedHeader } = await jwtVerify(answer.json<Answer>().sets[first] ?? '', keys, {
    issuer: http.baseUrl,
    audience: add.addonId,
    typ: 'secevent+jwt',
  });
  expect([protectedHeader.alg, payload.jti, payload.sub, payload.exp]).toEqual([
    'RS256',
    first,
    undefined,
    undefined,
  ]);
  expect(jtis(await poll(add, atOnce)), 'at least once').toEqual([first, other]);
  expect(jtis(await poll(add, { ...atOnce, ack: [first] }))).toEqual([second, other]);
  expect((await poll(add, { ...atOnce, maxEvents: 1 })).json()).toMatchObject({ moreAvailable: true });
  expect((await poll(add, { maxEvents: 0, ack: [second, other, second] })).json()).toEqual({ sets: {} });
  expect((await poll(add, atOnce)).json()).toEqual({ sets: {} });
});

test('SG-07: a setErrs entry ends the SET as an acknowledgement does, and is kept in one line', async () => {
  const add = await receiver();
  const jti = await tell(add);
  const before = http.polls.failures();
  const setErrs = {
    [jti]: { err: 'invalid_key', description: 'not\nours\u0000' },
    __proto__: { err: 'x' },
    'jti.0': { err: 'x' },
  };
  expect((await poll(add, { ...atOnce, setErrs })).json()).toEqual({ sets: {} });
  const { rows } = await http.pool.query('select last_error from signal_streams where stream_id = $1', [
    add.streamId,
  ]);
  expect(rows).toEqual([{ last_error: 'reported invalid_key: not ours' }]);
  expect(http.polls.failures() - before).toBe(1);
});

test('SG-07: any instance serves any stream: a waiting poll is answered by the commit of a SET', async () => {
  const add = await receiver();
  const waits = [poll(add), poll(add, {}, http.another())];
  await expect.poll(waiting).toBe(2);
  const jti = await tell(add);
  for (const answer of await Promise.all(waits)) expect(jtis(answer)).toEqual([jti]);
  expect(waiting()).toBe(0);
});

test('SG-07: of a paused stream a poll gets nothing and waits; resuming and deleting answer it at once', async () => {
  const { commands } = http;
  const add = await receiver();
  const jti = await tell(add);
  const set = (status: 'paused' | 'enabled') =>
    commands.setSignalStreamStatus({
      streamId: add.streamId,
      status,
      reason: null,
      by: 'transmitter',
      caller: 'operator',
    });
  valueOf(await set('paused'));
  expect((await poll(add, atOnce)).json()).toEqual({ sets: {} });
  const waits = poll(add);
  await expect.poll(waiting).toBe(1);
  valueOf(await set('enabled'));
  expect(jtis(await waits)).toEqual([jti]);
  await poll(add, { maxEvents: 0, ack: [jti] });
  const last = poll(add);
  await expect.poll(waiting).toBe(1);
  valueOf(await commands.deleteSignalStream({ ...add, caller: 'addon' }));
  expect((await last).statusCode).toBe(404);
  expect((await poll(add)).statusCode).toBe(404);
});

test('SG-02, SG-07: a poll that waits with a token that ends is answered 401 at once, and so is the next one', async () => {
  const add = await receiver();
  const ends = [
    (token: string) => http.commands.revokeToken({ addonId: add.addonId, token }),
    async () => {
      const [secret] = (await http.commands.listAddonSecrets(add.addonId)) ?? [];
      await http.commands.addAddonSecret(add.addonId);
      return http.commands.removeAddonSecret({ addonId: add.addonId, secretId: secret?.secretId ?? '' });
    },
  ];
  for (const end of ends) {
    const token = await tokenOf(add.addonId);
    const waits = poll({ ...add, token });
    await expect.poll(waiting).toBe(1);
    await end(token);
    expect((await waits).statusCode).toBe(401);
    expect((await poll({ ...add, token })).statusCode).toBe(401);
  }
});

describe('SG-07: bad input', () => {
  let add: Receiver;
  beforeAll(async () => {
    add = await receiver();
  });
  const long = 'x'.repeat(1_100_000);
  test.each([
    ['maxEvents', { maxEvents: -1 }],
    ['maxEvents', { maxEvents: 1.5 }],
    ['maxEvents', { maxEvents: '1' }],
    ['maxEvents', { maxEvents: null }],
    ['returnImmediately', { returnImmediately: 'yes' }],
    ['ack', { ack: 'jti' }],
    ['ack', { ack: [1] }],
    ['ack', { ack: Array.from({ length: 10_001 }, () => 'j') }],
    ['setErrs', { setErrs: [] }],
    ['setErrs', { setErrs: { a: 'invalid_key' } }],
    ['setErrs', { setErrs: { a: {} } }],
  ])('%s of a wrong kind is named: %j', async (parameter, body) => {
    const answer = await poll(add, { ...atOnce, ...body });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: object[] }>().errors).toEqual([expect.objectContaining({ parameter })]);
  });
  test.each([
    ['an array', '[]', 400],
    ['no JSON', '{', 400],
    ['too long', JSON.stringify({ ack: [long] }), 413],
  ])('a body that is %s', async (_what, body, status) => {
    expect((await poll(add, body)).statusCode).toBe(status);
  });
  test('that names more errors than are accepted, whatever they are', async () => {
    const setErrs = Object.fromEntries(Array.from({ length: 10_001 }, (_, place) => [`j${place}`, 1]));
    const answer = await poll(add, { ...atOnce, setErrs });
    expect(answer.json<{ errors: object[] }>().errors).toEqual([
      expect.objectContaining({ parameter: 'setErrs' }),
    ]);
  });
  test('of a stranger is not read', async () => {
    const answer = await poll({ ...add, token: 'mkt_at_unknown' }, '{');
    expect(answer.statusCode).toBe(401);
  });
  test('a long one may come sixty times a minute, a short one goes on', async () => {
    const [looping, other] = [await receiver(), await receiver()];
    const ack = Array.from({ length: 1_000 }, (_, place) => `unknown.${place}.${'x'.repeat(10)}`);
    for (let sent = 0; sent < longPollBodiesPerMinute; sent += 1)
      expect((await poll(looping, { ...atOnce, ack })).statusCode).toBe(200);
    const stopped = await poll(looping, { ...atOnce, ack });
    expect(stopped.statusCode).toBe(429);
    expect(stopped.headers['content-type']).toContain('application/problem+json');
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0);
    expect((await poll(looping, { ...atOnce, ack: ack.slice(0, 100) })).statusCode).toBe(200);
    expect((await poll(other, { ...atOnce, ack })).statusCode).toBe(200);
  });
  test('unknown members are ignored, no body at all is a poll with all defaults, and maxEvents may be huge', async () => {
    const jti = await tell(add);
    expect(jtis(await poll(add, { later: true }))).toEqual([jti]);
    expect(jtis(await poll(add, ''))).toEqual([jti]);
    expect(jtis(await poll(add, '{"maxEvents":9223372036854775807}'))).toEqual([jti]);
  });
  test('another media type is refused', async () => {
    const answer = await http.app.inject({
      method: 'POST',
      url: `/ssf/poll/${add.streamId}`,
      headers: { authorization: `Bearer ${add.token}`, 'content-type': 'text/plain' },
      payload: '{}',
    });
    expect(answer.statusCode).toBe(415);
  });
  test('10,000 foreign, unknown and impossible ids are passed over; no other add-on loses or gets a SET', async () => {
    const other = await receiver();
    const jti = await tell(other, 'user:u2');
    const strange = ['\u0000', '\ud800', '', "'; drop table signal_sets; --", jti];
    const ack = Array.from(
      { length: 10_000 },
      (_, place) => strange[place] ?? `unknown.${place}.${'x'.repeat(30)}`,
    );
    const answer = await poll(add, { ...atOnce, ack });
    expect([answer.statusCode, jtis(answer).includes(jti)]).toEqual([200, false]);
    expect(jtis(await poll(other, atOnce))).toEqual([jti]);
  });
  test.each([
    ['a foreign stream', (other: Receiver) => other.streamId],
    ['an unknown stream', ({ addonId }: Receiver) => `${addonId}_01JD0000000000000000000000`],
    ['an impossible id', () => '%27%20or%201=1'],
  ])('%s is unknown, also when it has SETs', async (_what, idOf) => {
    const other = await receiver();
    await tell(other);
    const answer = await poll({ token: add.token, streamId: idOf(other) });
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { status: 404 }]);
  });
  test('a stream that is pushed to is not polled; nobody polls without a token', async () => {
    const pushed = await receiver('push');
    expect((await poll(pushed)).statusCode).toBe(404);
    expect((await poll({ ...add, token: 'x' })).statusCode).toBe(401);
    expect((await http.app.inject({ url: `/ssf/poll/${add.streamId}` })).statusCode).toBe(405);
  });
});

test('SG-07: hundreds wait on one instance without a connection to the database; a client that goes frees its place', async () => {
  const server = http.another();
  onTestFinished(() => server.close());
  const baseUrl = await server.listen({ port: 0, host: '127.0.0.1' });
  const receivers = await Promise.all(Array.from({ length: 4 }, () => receiver()));
  const leaving = new AbortController();
  const ask = ({ streamId, token }: Receiver, signal?: AbortSignal) =>
    fetch(`${baseUrl}/ssf/poll/${streamId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      ...(signal && { signal }),
    }).then(async (answer) => Object.keys(((await answer.json()) as Answer).sets));
  const polls = receivers.flatMap((each) =>
    Array.from({ length: 50 }, (_, place) => ask(each, place === 49 ? leaving.signal : undefined)),
  );
  const settled = Promise.allSettled(polls);
  await expect.poll(waiting).toBe(200);
  expect(http.pool.totalCount - http.pool.idleCount, 'connections in use').toBe(0);
  leaving.abort();
  await expect.poll(waiting).toBe(196);
  const [first] = receivers;
  if (!first) throw new Error('nobody waits');
  const reads = vi.spyOn(http.store, 'readBack');
  onTestFinished(() => reads.mockRestore());
  const jti = await tell(first);
  await expect.poll(waiting).toBe(147); // no other poll was woken to end
  expect(reads.mock.calls.length, 'reads of the log for 49 polls').toBeGreaterThan(2);
  expect(reads.mock.calls.length).toBeLessThan(20);
  expect(await polls[0]).toEqual([jti]);
  http.polls.places.wake('nobody');
  await server.close(); // answers the others at once
  const sets = (await settled).map((answer) =>
    answer.status === 'fulfilled' ? answer.value.join() : 'gone',
  );
  const of = (what: string) => sets.filter((each) => each === what).length;
  expect([of(jti), of(''), of('gone')]).toEqual([49, 147, 4]);
});
