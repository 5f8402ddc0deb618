import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { signalChangesPerHour } from '../../../src/commands/signals/limit-signal-changes.ts';
import { signalStream } from '../../../src/domain/streams.ts';
import { listenOn } from '../../../src/projections/database/installation.ts';
import { supportedTypes } from '../../../src/signals/set-types.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { setScene } from '../../support/scenes/http-scene.ts';
import { ownToken } from '../../support/scenes/told-addons.ts';

const http = await startHttpApp({ startAt: Date.UTC(2026, 4, 1) });
afterAll(() => http.close());

const poll = 'urn:ietf:rfc:8936';
const push = 'urn:ietf:rfc:8935';
const sessionRevoked = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';
const here = 'http://127.0.0.1:9/signals';

const makeAddon = async (scope: 'ssf.read' | 'ssf.manage' = 'ssf.manage') => {
  const { clientId: addonId } = await setScene(http, { confidential: true });
  return { addonId, ...(await takeToken(addonId, scope)) };
};
const takeToken = async (addonId: string, scope: 'ssf.read' | 'ssf.manage') => {
  const token = await ownToken(http, addonId, scope);
  const ask = async (method: string, url: string, body?: unknown) => {
    const authorization = `Bearer ${token}`;
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const sent =
      body === undefined
        ? { headers: { authorization } }
        : { headers: { authorization, 'content-type': 'application/json' }, payload };
    const answer = await http.app.inject({ method: method as 'GET', url, ...sent });
    const json = answer.body === '' ? null : (JSON.parse(answer.body) as Record<string, unknown>);
    return { status: answer.statusCode, json, headers: answer.headers };
  };
  return { token, ask };
};
const created = async (body: object = {}) => {
  const addon = await makeAddon();
  const { status, json } = await addon.ask('POST', '/ssf/streams', {
    events_requested: [sessionRevoked],
    ...body,
  });
  if (status !== 201) throw new Error(`not created: ${JSON.stringify(json)}`);
  const streamId = String(json?.['stream_id']);
  return { ...addon, json, streamId };
};
const errorsIn = (json: Record<string, unknown> | null) =>
  ((json?.['errors'] ?? []) as readonly { parameter: string }[]).map(({ parameter }) => parameter);

test('SG-01: the configuration of the transmitter is found, cacheable, with an ETag', async () => {
  const url = '/.well-known/ssf-configuration';
  const answer = await http.app.inject(url);
  expect(answer.json()).toEqual({
    spec_version: '1_0',
    issuer: http.baseUrl,
    jwks_uri: `${http.baseUrl}/oauth/jwks`,
    delivery_methods_supported: [push, poll],
    configuration_endpoint: `${http.baseUrl}/ssf/streams`,
    status_endpoint: `${http.baseUrl}/ssf/status`,
    verification_endpoint: `${http.baseUrl}/ssf/verify`,
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  });
  const { etag = '' } = answer.headers;
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
  expect(answer.headers['cache-control']).toBe('public, max-age=300');
  expect(await http.app.inject({ url, headers: { 'if-none-match': etag } })).toMatchObject({
    statusCode: 304,
    body: '',
  });
  const tenant = http.another((dependencies) => ({
    ...dependencies,
    config: { ...dependencies.config, issuer: `${http.baseUrl}/tenant` },
  }));
  for (const each of [url, `${url}/tenant`])
    expect((await tenant.inject(each)).json()).toMatchObject({ issuer: `${http.baseUrl}/tenant` });
});

describe('SG-03: an add-on', () => {
  test('creates its stream, reads, updates, replaces and deletes it', async () => {
    const unknownType = 'urn:example:something-else';
    const { ask, addonId, streamId, json } = await created({
      events_requested: [sessionRevoked, unknownType],
      description: 'ours',
      something: 'else',
    });
    const configuration = {
      stream_id: streamId,
      iss: http.baseUrl,
      aud: addonId,
      delivery: { method: poll, endpoint_url: `${http.baseUrl}/ssf/poll/${streamId}` },
      events_supported: supportedTypes(http.baseUrl),
      events_requested: [sessionRevoked, unknownType],
      events_delivered: [sessionRevoked],
      min_verification_interval: 5,
      description: 'ours',
    };
    expect(json).toEqual(configuration);
    expect(await ask('GET', '/ssf/streams')).toMatchObject({ status: 200, json: [configuration] });
    expect(await ask('GET', `/ssf/streams?stream_id=${streamId}`)).toMatchObject({
      status: 200,
      json: configuration,
    });
    expect(await ask('POST', '/ssf/streams', {})).toMatchObject({ status: 409 });
    const changed = await ask('PATCH', '/ssf/streams', { stream_id: streamId, description: 'new' });
    expect(changed).toMatchObject({ status: 200, json: { ...configuration, description: 'new' } });
    // What was read, changed and sent back: what we supply matches, though it will be another.
    const back = { ...changed.json, events_requested: [`${http.baseUrl}/signals/addon-deactivated`] };
    const { description: _, ...replaced } = back as Record<string, unknown>;
    const put = await ask('PUT', '/ssf/streams', replaced);
    expect(put.status).toBe(200);
    expect(put.json).toMatchObject({ events_delivered: replaced['events_requested'] });
    expect(put.json).not.toHaveProperty('description');
    expect((await ask('PUT', '/ssf/streams', { stream_id: streamId })).json).toMatchObject({
      events_delivered: [],
    });
    expect(await ask('DELETE', `/ssf/streams?stream_id=${streamId}`)).toMatchObject({
      status: 204,
      json: null,
    });
    expect(await ask('GET', '/ssf/streams')).toMatchObject({ status: 200, json: [] });
    expect(await ask('DELETE', `/ssf/streams?stream_id=${streamId}`)).toMatchObject({ status: 404 });
    const again = await ask('POST', '/ssf/streams', {});
    expect(again.json?.['stream_id']).not.toBe(streamId);
  });

  test('SG-08: the header of its pushes is never answered, and not readable in the log', async () => {
    const secret = `Bearer ${randomBytes(12).toString('hex')}`;
    const delivery = { method: push, endpoint_url: here, authorization_header: secret };
    const { ask, addonId, streamId, json } = await created({ delivery });
    expect(json?.['delivery']).toEqual({ method: push, endpoint_url: here });
    const read = await ask('GET', '/ssf/streams');
    const patched = await ask('PATCH', '/ssf/streams', { stream_id: streamId, description: 'x' });
    const { events } = await http.store.read(signalStream(addonId));
    const last = events.at(-1)?.event;
    expect(last?.type === 'SignalStreamChanged' && last.data.authorization).not.toBeNull();
    const everything = JSON.stringify([
      read.json,
      patched.json,
      events.map(({ event }) => event),
      http.lines,
    ]);
    expect(everything).not.toContain(secret.slice(7));
    const now = await ask('PATCH', '/ssf/streams', { stream_id: streamId, delivery: { method: poll } });
    expect(now.json?.['delivery']).toEqual({
      method: poll,
      endpoint_url: `${http.baseUrl}/ssf/poll/${streamId}`,
    });
  });

  test('creates a stream without a body, too: all that a receiver supplies is optional', async () => {
    const { ask } = await makeAddon();
    const made = await ask('POST', '/ssf/streams');
    expect(made).toMatchObject({ status: 201, json: { delivery: { method: poll }, events_delivered: [] } });
  });

  test('of an update null is the same as not sent; of a replacement, too', async () => {
    const delivery = { method: push, endpoint_url: here };
    const { ask, streamId, json } = await created({ delivery, description: 'ours' });
    const nothing = { stream_id: streamId, delivery: null, events_requested: null, description: null };
    expect(await ask('PATCH', '/ssf/streams', nothing)).toMatchObject({ status: 200, json });
    const replaced = await ask('PUT', '/ssf/streams', nothing);
    expect(replaced).toMatchObject({
      status: 200,
      json: { delivery: { method: poll }, events_delivered: [] },
    });
    expect(replaced.json).not.toHaveProperty('description');
  });

  test('reads and sets the status', async () => {
    const { ask, streamId } = await created();
    const url = `/ssf/status?stream_id=${streamId}`;
    expect((await ask('GET', url)).json).toEqual({ stream_id: streamId, status: 'enabled' });
    for (const body of [
      { status: 'paused', reason: 'we move' },
      { status: 'disabled' },
      { status: 'enabled', reason: null },
    ]) {
      const { reason, ...status } = body;
      const now = { stream_id: streamId, ...status, ...(reason && { reason }) };
      expect(await ask('POST', '/ssf/status', { stream_id: streamId, ...body })).toMatchObject({
        status: 200,
        json: now,
      });
      expect((await ask('GET', url)).json).toEqual(now);
    }
  });

  test('asks for a verification, not too often; form and stream are judged before the limit', async () => {
    const { ask, streamId } = await created();
    const verify = (body: object) => ask('POST', '/ssf/verify', body);
    expect(await verify({ stream_id: streamId, state: 'abc' })).toMatchObject({ status: 204, json: null });
    const queued = async () => {
      const select = 'select claims, head from signal_sets where stream_id = $1 order by prepare_position';
      return (await http.pool.query<{ claims: object; head: boolean }>(select, [streamId])).rows;
    };
    const asked = (seconds: number, event: object) => ({
      iat: Date.UTC(2026, 4, 1) / 1000 + seconds,
      txn: expect.any(String) as string,
      sub_id: { format: 'opaque', id: streamId },
      events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': event },
    });
    expect(await queued()).toEqual([{ head: true, claims: asked(0, { state: 'abc' }) }]);
    expect(await verify({ stream_id: streamId, state: 5 })).toMatchObject({ status: 400 });
    expect(await verify({ stream_id: 'x' })).toMatchObject({ status: 404 });
    const tooSoon = await verify({ stream_id: streamId });
    expect([tooSoon.status, tooSoon.headers['retry-after']]).toEqual([429, '5']);
    http.advance(5_000);
    expect((await verify({ stream_id: streamId })).status).toBe(204);
    expect((await queued()).at(1)).toEqual({ head: false, claims: asked(5, {}) });
  });

  test('asks for no more verifications while a hundred wait that it does not take', async () => {
    const { ask, streamId } = await created();
    const verify = () => {
      http.advance(5_000);
      return ask('POST', '/ssf/verify', { stream_id: streamId });
    };
    for (let waiting = 0; waiting < 100; waiting += 1) expect((await verify()).status).toBe(204);
    const refused = await verify();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    await http.pool.query(
      'update signal_sets set waiting = false, head = false where stream_id = $1 and head',
      [streamId],
    );
    expect((await verify()).status).toBe(204);
  });
});

describe('a stream that is changed without end', () => {
  test('wakes its waiting polls only where something changes', async () => {
    const { ask, streamId } = await created();
    const client = await http.pool.connect();
    let woken = 0;
    const count = () => (woken += 1);
    client.on('notification', count);
    const channel = await listenOn(client, 'signals');
    try {
      const change = { stream_id: streamId, description: 'the same' };
      const status = { stream_id: streamId, status: 'paused', reason: 'the same' };
      for (let times = 0; times < 3; times += 1) {
        expect((await ask('PATCH', '/ssf/streams', change)).status).toBe(200);
        expect((await ask('POST', '/ssf/status', status)).status).toBe(200);
      }
      await client.query(`unlisten ${channel}`);
      expect(woken).toBe(2);
    } finally {
      client.off('notification', count);
      client.release();
    }
  });

  test('SG-03, FX-89: is not changed more than 600 times an hour, by whatever call; others are, and it is read', async () => {
    const { ask, addonId, streamId } = await created();
    const status = (n: number) => ({
      stream_id: streamId,
      status: n % 2 ? 'enabled' : 'paused',
      reason: `${n}`,
    });
    for (let changed = 1; changed < signalChangesPerHour; changed += 1) {
      if (changed === 300) http.advance(600_000);
      expect((await ask('POST', '/ssf/status', status(changed))).status).toBe(200);
    }
    http.advance(1_000);
    const url = `/ssf/streams?stream_id=${streamId}`;
    const length = async () => (await http.store.read(signalStream(addonId))).events.length;
    for (const [method, at, body] of [
      ['POST', '/ssf/status', status(1)],
      ['PATCH', '/ssf/streams', { stream_id: streamId, description: 'new' }],
      ['PUT', '/ssf/streams', { stream_id: streamId }],
    ] as const) {
      const answer = await ask(method, at, body);
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '2999']);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
    expect(await length()).toBe(signalChangesPerHour);
    expect((await ask('PATCH', '/ssf/streams', { stream_id: 'x' })).status, 'judged before').toBe(404);
    expect((await ask('GET', url)).status).toBe(200);
    expect((await ask('POST', '/ssf/verify', { stream_id: streamId })).status).toBe(204);
    const other = await created();
    expect((await other.ask('PATCH', '/ssf/streams', { stream_id: other.streamId })).status).toBe(200);
    // FX-89: it may always be stopped, and is not begun again.
    for (const stopped of ['paused', 'disabled'])
      expect((await ask('POST', '/ssf/status', { stream_id: streamId, status: stopped })).status).toBe(200);
    for (const begun of ['paused', 'enabled'])
      expect((await ask('POST', '/ssf/status', { stream_id: streamId, status: begun })).status).toBe(429);
    http.advance(2_999_000);
    const { ask: late } = await takeToken(addonId, 'ssf.manage');
    expect((await late('DELETE', url)).status, 'an hour after the first change').toBe(204);
    expect((await late('POST', '/ssf/streams', {})).status, 'the next ones came with the first').toBe(201);
  });
});

const wrong: readonly (readonly [what: string, body: unknown, errors: readonly string[]])[] = [
  ['no JSON', '{', []],
  ['an array', [], []],
  ['a number', 7, []],
  ['null', 'null', []],
  [
    'wrong types',
    { events_requested: 'x', delivery: 7, description: [] },
    ['events_requested', 'delivery', 'description'],
  ],
  ['requested numbers', { events_requested: [7] }, ['events_requested']],
  ['too many', { events_requested: Array.from({ length: 101 }, (_, i) => `urn:${i}`) }, ['events_requested']],
  ['a NUL', { events_requested: ['a\0b'], description: '\0' }, ['events_requested', 'description']],
  ['half a character', { description: '\ud800' }, ['description']],
  ['another method', { delivery: { method: 'urn:x' } }, ['delivery.method']],
  ['a push to nowhere', { delivery: { method: push } }, ['delivery.endpoint_url']],
  [
    'a header of 10 kB',
    { delivery: { method: push, endpoint_url: here, authorization_header: 'x'.repeat(10_240) } },
    ['delivery.authorization_header'],
  ],
  [
    'a header of two lines',
    { delivery: { method: push, endpoint_url: here, authorization_header: 'Bearer x\r\nHost: y' } },
    ['delivery.authorization_header'],
  ],
  ...[
    'ftp://doors.example/',
    'https://user:secret@doors.example/',
    'https://169.254.169.254/latest',
    'https://0x7f.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://10.0.0.1/',
    'not a url',
    'x'.repeat(10_240),
  ].map(
    (url) =>
      [
        `a push to ${url.slice(0, 30)}`,
        { delivery: { method: push, endpoint_url: url } },
        ['delivery.endpoint_url'],
      ] as const,
  ),
];

describe('bad input gets an answer of the specification', () => {
  test.each(wrong)('a stream with %s is refused', async (_what, body, errors) => {
    const { ask } = await makeAddon();
    const answer = await ask('POST', '/ssf/streams', body);
    expect([answer.status, errorsIn(answer.json)]).toEqual([400, errors]);
    expect((await ask('GET', '/ssf/streams')).json).toEqual([]);
  });

  test('FX-63: our own iss is recognized, however it is spelled', async () => {
    const { ask, json } = await created();
    const iss = `${http.baseUrl.replace('http', 'HTTP')}/`;
    expect((await ask('PUT', '/ssf/streams', { ...json, iss })).status).toBe(200);
  });

  test('what the transmitter supplies must match in an update', async () => {
    const { ask, addonId, streamId, json } = await created();
    for (const body of [
      { iss: 'https://other.example' },
      { iss: null },
      { aud: 'other' },
      { aud: [addonId, 'other'] },
      { events_supported: [] },
      { events_delivered: [] },
      { min_verification_interval: 1 },
      { inactivity_timeout: 3600 },
    ])
      for (const method of ['PATCH', 'PUT']) {
        const answer = await ask(method, '/ssf/streams', { ...json, ...body });
        expect([answer.status, errorsIn(answer.json)]).toEqual([400, Object.keys(body)]);
      }
    const delivery = { method: poll, endpoint_url: 'https://doors.example/' };
    const other = await ask('PATCH', '/ssf/streams', { stream_id: streamId, delivery });
    expect(errorsIn(other.json)).toEqual(['delivery.endpoint_url']);
    const asList = await ask('PATCH', '/ssf/streams', { ...json, aud: [addonId], inactivity_timeout: null });
    expect(asList).toMatchObject({ status: 200, json });
    const none = { stream_id: streamId, events_requested: [] };
    const asItWillBe = await ask('PATCH', '/ssf/streams', { ...none, events_delivered: [] });
    expect(errorsIn(asItWillBe.json)).toEqual(['events_delivered']);
    const asItIs = await ask('PATCH', '/ssf/streams', { ...none, events_delivered: [sessionRevoked] });
    expect(asItIs).toMatchObject({ status: 200, json: { events_delivered: [] } });
  });

  test('an unknown stream and that of another add-on are both unknown', async () => {
    const { streamId: foreign } = await created();
    const { ask, addonId } = await created();
    for (const id of [foreign, 'x', '../x', `${addonId}_`, 'y'.repeat(900)]) {
      const query = `?stream_id=${encodeURIComponent(id)}`;
      const body = { stream_id: id };
      const answers = [
        await ask('GET', `/ssf/streams${query}`),
        await ask('DELETE', `/ssf/streams${query}`),
        await ask('PATCH', '/ssf/streams', body),
        await ask('PUT', '/ssf/streams', body),
        await ask('GET', `/ssf/status${query}`),
        await ask('POST', '/ssf/status', { ...body, status: 'paused' }),
        await ask('POST', '/ssf/verify', body),
      ];
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 404));
    }
    for (const [method, url, body] of [
      ['DELETE', '/ssf/streams', undefined],
      ['DELETE', '/ssf/streams?stream_id=a&stream_id=b', undefined],
      ['GET', '/ssf/streams?stream_id=a&stream_id=a', undefined],
      ['GET', '/ssf/status', undefined],
      ['GET', '/ssf/status?stream_id=a&stream_id=a', undefined],
      ['PATCH', '/ssf/streams', {}],
      ['PUT', '/ssf/streams', {}],
      ['POST', '/ssf/status', { stream_id: 7, status: 'gone' }],
      ['POST', '/ssf/verify', undefined],
      ['POST', '/ssf/verify', { stream_id: foreign, state: '\0' }],
    ] as const)
      expect((await ask(method, url, body)).status).toBe(400);
    expect(errorsIn((await ask('PATCH', '/ssf/streams')).json)).toEqual(['stream_id']);
    expect((await ask('OPTIONS', '/ssf/verify')).status).toBe(405);
  });

  test('no token is 401, another one too; ssf.read opens reads, and changes are 403', async () => {
    expect((await http.app.inject('/ssf/streams')).statusCode).toBe(401);
    const headers = { authorization: 'Bearer nothing' };
    expect((await http.app.inject({ url: '/ssf/status', headers })).statusCode).toBe(401);
    const { ask, token } = await makeAddon('ssf.read');
    expect((await ask('GET', '/ssf/streams')).status).toBe(200);
    expect((await http.app.inject(`/ssf/streams?access_token=${token}`)).statusCode).not.toBe(200); // RFC 6750 §2.3
    expect((await ask('GET', '/ssf/status?stream_id=x')).status).toBe(404);
    for (const [method, url] of [
      ['POST', '/ssf/streams'],
      ['PATCH', '/ssf/streams'],
      ['PUT', '/ssf/streams'],
      ['DELETE', '/ssf/streams?stream_id=x'],
      ['POST', '/ssf/status'],
      ['POST', '/ssf/verify'],
    ] as const) {
      const { status, headers: answered } = await ask(method, url);
      expect(status).toBe(403);
      expect(String(answered['www-authenticate'])).toContain('error="insufficient_scope"');
    }
  });
});
