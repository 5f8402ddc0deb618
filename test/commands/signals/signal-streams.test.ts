import { describe, expect, test, vi } from 'vitest';
import { decryptAuthorization } from '../../../src/commands/credentials/signal-authorization.ts';
import { signalStream } from '../../../src/domain/streams.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { marketplace } from '../../support/scenes/marketplace.ts';
import { valueOf } from '../../support/outcomes.ts';

const registration = {
  name: 'Door Opener',
  redirectUris: ['https://doors.example/cb'],
  configurationUrl: null,
  allowedScopes: ['access-rights:read'],
} as const;
const poll = {
  method: 'poll',
  endpointUrl: null,
  authorization: null,
  eventsRequested: ['urn:a'],
  description: null,
} as const;
const push = { ...poll, method: 'push', endpointUrl: 'https://doors.example/signals' } as const;

const withAddons = async (...given: Parameters<typeof marketplace>) => {
  const market = marketplace(...given);
  const addonId = valueOf(await market.registerAddon({ ...registration, confidential: true })).clientId;
  const open = valueOf(await market.registerAddon({ ...registration, confidential: false })).clientId;
  return { ...market, addonId, open };
};

describe('signal streams', () => {
  test('SG-03: an add-on creates one, finds it, changes and deletes it; each has an id of its own', async () => {
    const { addonId, createSignalStream, findSignalStream, changeSignalStream, deleteSignalStream } =
      await withAddons();
    expect(await findSignalStream(addonId)).toBeNull();
    const request = { addonId, caller: 'addon', configuration: poll } as const;
    const { stream } = valueOf(await createSignalStream(request));
    expect(await findSignalStream(addonId)).toEqual(stream);
    expect(await createSignalStream(request)).toMatchObject({ refusal: 'signal-stream-exists' });
    const { streamId } = stream;
    const change = { description: 'ours' };
    const changed = valueOf(await changeSignalStream({ streamId, caller: 'addon', change }));
    expect(changed.stream).toEqual({ ...stream, description: 'ours' });
    expect(valueOf(await deleteSignalStream({ streamId, caller: 'addon' })).position).not.toBeNull();
    expect(await deleteSignalStream({ streamId, caller: 'addon' })).toMatchObject({ ok: false });
    expect(valueOf(await createSignalStream(request)).stream.streamId).not.toBe(streamId);
  });

  test('SG-08: the header of pushes is encrypted in the log, for this stream alone', async () => {
    const { addonId, keys, store, createSignalStream, changeSignalStream } = await withAddons();
    const configuration = { ...push, authorization: 'Bearer hidden' };
    const { stream } = valueOf(await createSignalStream({ addonId, caller: 'addon', configuration }));
    const { authorization, streamId } = stream;
    if (!authorization) throw new Error('there is a header');
    expect(decryptAuthorization(keys, streamId, authorization)).toBe('Bearer hidden');
    expect(decryptAuthorization(keys, `${streamId}2`, authorization)).toBeNull();
    expect(decryptAuthorization(keys, streamId, { ...authorization, tokenKeyId: 'k2' })).toBeNull();
    expect(decryptAuthorization(keys, streamId, { ...authorization, encrypted: 'AAAA' })).toBeNull();
    const change = { authorization: 'Bearer other' };
    valueOf(await changeSignalStream({ streamId, caller: 'addon', change }));
    const { events } = await store.read(signalStream(addonId));
    expect(JSON.stringify(events.map(({ event }) => event))).not.toMatch(/hidden|other/);
    const gone = await changeSignalStream({ streamId, caller: 'addon', change: { authorization: null } });
    expect(valueOf(gone).stream.authorization).toBeNull();
  });

  test('SG-02: a public add-on is only pushed to; a retired one gets no stream', async () => {
    const { addonId, open, createSignalStream, changeSignalStream, retireAddon } = await withAddons();
    const creating = (id: string, configuration: typeof poll | typeof push) =>
      createSignalStream({ addonId: id, caller: 'operator', configuration });
    expect(await creating(open, poll)).toEqual({ ok: false, refusal: 'push-only' });
    const { streamId } = valueOf(await creating(open, push)).stream;
    expect(await changeSignalStream({ streamId, caller: 'operator', change: { method: 'poll' } })).toEqual({
      ok: false,
      refusal: 'push-only',
    });
    await retireAddon({ addonId, by: 'break-glass', tokenId: null }).catch(() => null); // without read models
    expect(await creating(addonId, poll)).toEqual({ ok: false, refusal: 'addon-retired' });
    expect(await creating('01K9RZ3Q5V0000000000000001', poll)).toEqual({
      ok: false,
      refusal: 'addon-unknown',
    });
  });

  test('who set a status is in its event: the add-on, an operator, or Grantbook by itself', async () => {
    const { addonId, store, createSignalStream, setSignalStreamStatus, replaySignalStream } =
      await withAddons();
    const { stream } = valueOf(await createSignalStream({ addonId, caller: 'addon', configuration: poll }));
    const { streamId } = stream;
    const set = (
      caller: 'addon' | 'operator' | 'service',
      to: 'enabled' | 'paused',
      by: 'receiver' | 'transmitter',
    ) => setSignalStreamStatus({ streamId, caller, status: to, reason: null, by });
    expect(valueOf(await set('addon', 'paused', 'receiver')).stream.status).toBe('paused');
    expect(valueOf(await set('addon', 'paused', 'receiver')).position).toBeNull();
    valueOf(await set('operator', 'enabled', 'transmitter'));
    valueOf(await set('service', 'paused', 'transmitter'));
    valueOf(await replaySignalStream({ streamId, after: '7/7' }));
    const { events } = await store.read(signalStream(addonId));
    expect(events.map(({ event, metadata }) => [event.type, metadata.actor])).toEqual([
      ['SignalStreamCreated', `addon:${addonId}`],
      ['SignalStreamStatusChanged', `addon:${addonId}`],
      ['SignalStreamStatusChanged', 'break-glass'],
      ['SignalStreamStatusChanged', undefined],
      ['SignalStreamReplayed', 'break-glass'],
    ]);
  });

  test('SG-08: what failed before a change of the stream pauses nothing', async () => {
    const { addonId, store, createSignalStream, pauseSignalStream, setSignalStreamStatus } =
      await withAddons();
    const { stream } = valueOf(await createSignalStream({ addonId, caller: 'addon', configuration: push }));
    const { streamId } = stream;
    const pause = (revision: bigint | null) =>
      pauseSignalStream({ streamId, reason: 'it failed', revision }, { traceparent: 'T' });
    expect(valueOf(await pause(0n)).stream).toMatchObject({ status: 'paused', reason: 'it failed' });
    const resume = { streamId, caller: 'addon', status: 'enabled', reason: null, by: 'receiver' } as const;
    valueOf(await setSignalStreamStatus(resume));
    expect(await pause(0n)).toEqual({ ok: false, refusal: 'changed-meanwhile' });
    expect(await pause(1n)).toEqual({ ok: false, refusal: 'changed-meanwhile' });
    expect(valueOf(await pause(2n)).stream.status).toBe('paused');
    expect(valueOf(await pause(null)).position).toBeNull();
    const { events } = await store.read(signalStream(addonId));
    expect(events.map(({ metadata }) => metadata.actor)).toEqual([
      `addon:${addonId}`,
      undefined,
      `addon:${addonId}`,
      undefined,
    ]);
  });

  test('SG-07: of a stream that was paused and resumed for years, each call reads a few events', async () => {
    const { addonId, store, createSignalStream, findSignalStream, setSignalStreamStatus } =
      await withAddons();
    const { stream } = valueOf(await createSignalStream({ addonId, caller: 'addon', configuration: poll }));
    const { streamId } = stream;
    const set = async (status: 'enabled' | 'paused', reason: string) => {
      valueOf(await setSignalStreamStatus({ streamId, caller: 'addon', status, reason, by: 'receiver' }));
      return findSignalStream(addonId);
    };
    const read = vi.spyOn(store, 'read');
    const readBack = vi.spyOn(store, 'readBack');
    for (let night = 1; night <= 100; night += 1) {
      expect(await set('paused', `${night}`)).toEqual({ ...stream, status: 'paused', reason: `${night}` });
      expect(await set('enabled', `${night}`)).toEqual({ ...stream, reason: `${night}` });
    }
    expect(read.mock.calls.length).toBe(1); // once, when it was longer than what is read back
    expect(Math.max(...readBack.mock.calls.map(([, , count]) => count))).toBeLessThan(40);
    const { events } = await store.read(signalStream(addonId));
    expect(events).toHaveLength(201);
  });

  test('SG-03: a long stream in a log that was restored to an earlier state is read anew', async () => {
    const { addonId, store, createSignalStream, findSignalStream, setSignalStreamStatus } =
      await withAddons();
    const { stream } = valueOf(await createSignalStream({ addonId, caller: 'addon', configuration: poll }));
    const by = { streamId: stream.streamId, caller: 'addon', by: 'receiver' } as const;
    for (let night = 1; night <= 40; night += 1)
      valueOf(await setSignalStreamStatus({ ...by, status: 'paused', reason: `${night}` }));
    expect(await findSignalStream(addonId)).toMatchObject({ reason: '40' });
    const earlier = (events: readonly RecordedEvent[]) => events.filter(({ revision }) => revision <= 35n);
    const now = { ...store };
    store.read = async (name) => ({ events: earlier((await now.read(name)).events), revision: 35n });
    store.readBack = (name, _from, count) => now.readBack(name, 35n, count);
    expect(await findSignalStream(addonId)).toMatchObject({ reason: '35' });
  });

  test('an id that names nothing is unknown', async () => {
    const { addonId, deleteSignalStream, replaySignalStream, setSignalStreamStatus, findSignalStream } =
      await withAddons();
    for (const streamId of ['', 'x', `${addonId}_${addonId}`, `${addonId}_`]) {
      const unknown = { ok: false, refusal: 'signal-stream-unknown' };
      expect(await deleteSignalStream({ streamId, caller: 'addon' })).toEqual(unknown);
      expect(await replaySignalStream({ streamId, after: '1/1' })).toEqual(unknown);
      const status = { status: 'paused', reason: null, by: 'receiver' } as const;
      expect(await setSignalStreamStatus({ streamId, caller: 'addon', ...status })).toEqual(unknown);
    }
    expect(await findSignalStream('../secrets')).toBeNull();
  });
});
