import { describe, expect, test } from 'vitest';
import { tokenPairOf } from '../../../src/commands/credentials/token-pair.ts';
import { fold } from '../../../src/domain/kernel/decision.ts';
import { grantDecider, type GrantEvent, type LiveGrant } from '../../../src/domain/access/grant.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { lifetimes, t0, tokensRefreshed } from '../../support/scenes/grants.ts';
import { issuanceOver, keys } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

const stranger = '01JZZZZZZZZZZZZZZZZZZZZZZX';

/** A grant whose code was issued; of its stream every call is told, when it is sent and when it is answered. */
const setUp = async () => {
  const store = memoryStore();
  const calls: string[] = [];
  const tell = async <T>(stream: string, name: string, call: () => Promise<T>): Promise<T> => {
    if (!stream.startsWith('grant-')) return call();
    calls.push(`${name} sent`);
    const found = await call();
    calls.push(`${name} answered`);
    return found;
  };
  const told: EventStore = {
    ...store,
    append: (stream, ...append) => tell(stream, 'append', () => store.append(stream, ...append)),
    read: (stream) => tell(stream, 'whole', () => store.read(stream)),
    readEnd: (stream, end, count) => tell(stream, end, () => store.readEnd(stream, end, count)),
    readBack: (stream, from, count) => tell(stream, 'newest', () => store.readBack(stream, from, count)),
  };
  const over = issuanceOver({ store: told, fence: memoryFence() });
  await over.prepare();
  valueOf(await over.activate());
  const code = await over.issue();
  const stream = grantStream(over.grantIdOf(code));
  const events = async () => (await store.read(stream)).events.map(({ event }) => event as GrantEvent);
  /** Refreshes it so often after the exchange. The newest pair. */
  const rotate = async (rotations: number) => {
    valueOf(await over.exchange(code));
    for (let rotation = 1; rotation <= rotations; rotation += 1) {
      const counts = { rejections: 0, hour: { began: t0, rotations: rotation } };
      const event = tokensRefreshed(rotation, t0 + rotation, { counts });
      await store.append(stream, BigInt(rotation), [{ event }]);
    }
    const grant = fold(grantDecider, await events()) as LiveGrant;
    return tokenPairOf(keys, grant, grant.current.at);
  };
  /** What an instance that knows nothing of it is answered, and the calls that it makes for that. */
  const cold = async <T>(ask: (by: typeof over.commands) => Promise<T>) => {
    calls.length = 0;
    return { outcome: await ask(over.instance()), calls: [...calls] };
  };
  const types = async () => (await events()).map(({ type }) => type);
  return { ...over, code, rotate, cold, types, lapse: () => over.pass(lifetimes.code) };
};

const inOneGo = ['first sent', 'newest sent', 'first answered', 'newest answered'];
const shortRead = ['first sent', 'first answered'];
const append = ['append sent', 'append answered'];
/** Of a foreign caller: whether its refusal is to be recorded is in more of the first events. */
const looksCloser = [...inOneGo, ...shortRead];

describe('GR-01: the first and the newest events of a grant that is likely long are asked for at the same time', () => {
  test('for a late duplicate of a code', async () => {
    const { rotate, lapse, cold, exchange, code, types } = await setUp();
    await rotate(100);
    lapse();
    const { outcome, calls } = await cold((by) => exchange(code, {}, by));
    expect(outcome).toMatchObject({ ok: false, refusal: 'code-already-redeemed' });
    expect(calls).toEqual([...inOneGo, ...append]);
    expect((await types()).slice(-2)).toEqual(['AuthorizationCodeReplayed', 'GrantRevoked']);
  });

  test('for a refresh token of more rotations than the first events show, and of no fewer', async () => {
    for (const [rotations, reads] of [
      [13, shortRead],
      [14, inOneGo],
      [100, inOneGo],
    ] as const) {
      const { rotate, cold, refresh } = await setUp();
      const { refreshToken } = await rotate(rotations);
      const { outcome, calls } = await cold((by) => refresh(refreshToken, {}, by));
      expect(outcome).toMatchObject({ ok: true });
      expect(calls).toEqual([...reads, ...append]);
    }
  });

  test('GR-02, RT-12: for whoever may not touch it, who is refused by a few events and remembered', async () => {
    const { rotate, lapse, cold, exchange, refresh, code, types } = await setUp();
    const { refreshToken } = await rotate(100);
    const refreshed = await cold((by) => refresh(refreshToken, { addonId: stranger }, by));
    expect(refreshed.outcome).toEqual({ ok: false, refusal: 'token-of-another-client' });
    expect(refreshed.calls).toEqual([...looksCloser, ...append]);
    expect((await types()).slice(-2)).toEqual(['TokensRefreshed', 'RefreshRejected']);
    lapse();
    const exchanged = await cold((by) => exchange(code, { addonId: stranger }, by));
    expect(exchanged.outcome).toEqual({ ok: false, refusal: 'code-of-another-client' });
    expect(exchanged.calls).toEqual(looksCloser);
    expect((await types()).at(-1)).toBe('RefreshRejected');
  });
});

test('GR-01: a revocation and an introspection read the first and the newest events once', async () => {
  const { rotate, cold, addonId } = await setUp();
  const { refreshToken } = await rotate(100);
  const asked = { addonId, audiences: [], token: refreshToken };
  const bothReads = [...shortRead, 'newest sent', 'newest answered'];
  const introspected = await cold((by) => by.introspectToken(asked));
  expect(introspected.outcome).toMatchObject({ kind: 'refresh', rotation: 100 });
  expect(introspected.calls).toEqual(bothReads);
  const ended = await cold((by) => by.revokeToken(asked));
  expect(ended.outcome).toEqual({ ok: true, value: 'revoked' });
  expect(ended.calls).toEqual([...bothReads, ...append]);
});

test('GR-01: a code that was just issued is exchanged after one short read', async () => {
  const { cold, exchange, code } = await setUp();
  const { outcome, calls } = await cold((by) => exchange(code, {}, by));
  expect(outcome).toMatchObject({ ok: true });
  expect(calls).toEqual([...shortRead, ...append]);
});

test('a code that expired before it was exchanged is refused by the first events, which are all', async () => {
  const { cold, lapse, exchange, code } = await setUp();
  lapse();
  const { outcome, calls } = await cold((by) => exchange(code, {}, by));
  expect(outcome).toMatchObject({ ok: false, refusal: 'code-expired' });
  expect(calls.slice(0, inOneGo.length)).toEqual(inOneGo);
});
