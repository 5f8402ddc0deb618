import { describe, expect, test } from 'vitest';
import { grantStream } from '../../src/domain/streams.ts';
import type { EventStore } from '../../src/eventstore/event-store.ts';
import { t0, tokensRefreshed } from '../support/scenes/grants.ts';
import { issuanceOver } from '../support/memory/issuance.ts';
import { valueOf } from '../support/scenes/marketplace.ts';
import { memoryFence } from '../support/memory/memory-fence.ts';
import { memoryStore } from '../support/memory/memory-store.ts';

const rotations = 4_000;
const stranger = '01JZZZZZZZZZZZZZZZZZZZZZZX';

/** A grant that was refreshed so often; the events of it that are read are counted. */
const setUp = async () => {
  const store = memoryStore();
  let events = 0;
  const counting: EventStore = {
    ...store,
    read: async (stream) => {
      const slice = await store.read(stream);
      if (stream.startsWith('grant-')) events += slice.events.length;
      return slice;
    },
    readEnd: async (stream, ...part) => {
      const found = await store.readEnd(stream, ...part);
      if (stream.startsWith('grant-')) events += found.length;
      return found;
    },
    readBack: async (stream, ...part) => {
      const slice = await store.readBack(stream, ...part);
      if (stream.startsWith('grant-')) events += slice.events.length;
      return slice;
    },
  };
  const over = issuanceOver({ store: counting, fence: memoryFence() });
  await over.prepare();
  valueOf(await over.activate());
  const code = await over.issue();
  const pair = valueOf(await over.exchange(code));
  const { refreshToken } = valueOf(await over.refresh(pair.refreshToken));
  const stream = grantStream(over.grantIdOf(code));
  for (let rotation = 2; rotation <= rotations; rotation += 1)
    await store.append(stream, BigInt(rotation), [{ event: tokensRefreshed(rotation, t0 + rotation) }]);
  const readFor = async <T>(work: () => Promise<T>) => {
    events = 0;
    const outcome = await work();
    return { outcome, events };
  };
  const types = async () => (await store.read(stream)).events.map(({ event }) => event.type);
  return { ...over, code, ...pair, refreshToken, readFor, types };
};

describe('GR-02: who may not touch a grant that was refreshed 4,000 times is refused after a few events', () => {
  const most = 20;

  test('another client with its refresh token, warm or cold, however often it asks', async () => {
    const { refresh, refreshToken, instance, commands, readFor, types } = await setUp();
    for (const by of [commands, instance(), commands, commands]) {
      const { outcome, events } = await readFor(() => refresh(refreshToken, { addonId: stranger }, by));
      expect(outcome).toEqual({ ok: false, refusal: 'token-of-another-client' });
      expect(events).toBeLessThan(most);
    }
    expect((await types()).filter((type) => type === 'RefreshRejected')).toHaveLength(1);
  });

  test('another client with its code, or its own without the proof', async () => {
    const { exchange, code, instance, commands, readFor } = await setUp();
    for (const by of [commands, instance()])
      for (const [changes, refusal] of [
        [{ addonId: stranger }, 'code-of-another-client'],
        [{ codeVerifier: 'x'.repeat(43) }, 'verifier-mismatch'],
        [{ redirectUri: 'https://elsewhere.example/' }, 'redirect-uri-mismatch'],
      ] as const) {
        const { outcome, events } = await readFor(() => exchange(code, changes, by));
        expect(outcome).toEqual({ ok: false, refusal });
        expect(events).toBeLessThan(most);
      }
  });

  test('another client that revokes it or looks into it, by either token, and whoever forged one', async () => {
    const { accessToken, refreshToken, instance, commands, readFor } = await setUp();
    const forged = [`${refreshToken.slice(0, -2)}xx`, `${accessToken.slice(0, -2)}xx`];
    for (const by of [commands, instance()])
      for (const token of [accessToken, refreshToken, ...forged]) {
        const presented = { addonId: stranger, token };
        const revoked = await readFor(() => by.revokeToken(presented));
        expect(revoked.outcome).not.toEqual({ ok: true, value: 'revoked' });
        const audiences = ['https://elsewhere.example/'];
        const looked = await readFor(() => by.introspectToken({ ...presented, audiences }));
        expect(looked.outcome).toBeNull();
        const refreshed = await readFor(() =>
          by.refreshToken({ addonId: stranger, refreshToken: token, scopes: null, resources: null }),
        );
        expect(refreshed.outcome).toMatchObject({ ok: false });
        for (const { events } of [revoked, looked, refreshed]) expect(events).toBeLessThan(most);
      }
  });
});
