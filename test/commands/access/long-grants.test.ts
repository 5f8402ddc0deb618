import { describe, expect, test } from 'vitest';
import { makeEndGrants } from '../../../src/reactions/end-grants.ts';
import { makeRevokeGrant } from '../../../src/commands/access/revoke-grant.ts';
import { newSalt } from '../../../src/commands/credentials/secrets.ts';
import { tokenPairOf } from '../../../src/commands/credentials/token-pair.ts';
import { fold } from '../../../src/domain/kernel/decision.ts';
import {
  type Grant,
  grantDecider,
  type GrantEvent,
  type LiveGrant,
} from '../../../src/domain/access/grant.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { t0, tokensRefreshed } from '../../support/scenes/grants.ts';
import { issuanceOver, keys } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

const minute = 60_000;

/** One refresh a minute. */
const refreshes = (rotations: number): readonly GrantEvent[] =>
  Array.from({ length: rotations }, (_, index) => {
    const began = t0 + Math.floor((index + 1) / 60) * 60 * minute;
    const counts = { rejections: 0, hour: { began, rotations: ((index + 1) % 60) + 1 } };
    return tokensRefreshed(index + 1, t0 + (index + 1) * minute, {
      salt: newSalt(),
      counts,
    });
  });

/** A grant that was refreshed so often; what is read of its stream is counted. */
const setUp = async (rotations: number, { rotationsPerHour = 600 } = {}) => {
  const store = memoryStore();
  const read = { calls: 0, events: 0 };
  const count = <T>(stream: string, part: T, events: readonly RecordedEvent[]): T => {
    if (stream.startsWith('grant-')) {
      read.calls += 1;
      read.events += events.length;
    }
    return part;
  };
  const counted: EventStore = {
    ...store,
    read: async (stream) => {
      const slice = await store.read(stream);
      return count(stream, slice, slice.events);
    },
    readEnd: async (stream, ...part) => {
      const found = await store.readEnd(stream, ...part);
      return count(stream, found, found);
    },
    readBack: async (stream, ...part) => {
      const slice = await store.readBack(stream, ...part);
      return count(stream, slice, slice.events);
    },
  };
  const fence = memoryFence();
  const over = issuanceOver({ store: counted, fence, rotationsPerHour });
  await over.prepare();
  valueOf(await over.activate());
  const code = await over.issue();
  valueOf(await over.exchange(code));
  const grantId = over.grantIdOf(code);
  const stream = grantStream(grantId);
  await store.append(
    stream,
    1n,
    refreshes(rotations).map((event) => ({ event })),
  );
  over.pass((rotations + 1) * minute);
  const events = async () => (await store.read(stream)).events.map(({ event }) => event as GrantEvent);
  const grant: Grant = fold(grantDecider, await events());
  /** As it was when that pair was made. */
  const pairOf = async (rotation: number) => {
    const then = fold(grantDecider, (await events()).slice(0, rotation + 2)) as LiveGrant;
    return tokenPairOf(keys, then, then.current.at);
  };
  return { ...over, store: counted, fence, code, grantId, grant, read, events, pairOf };
};

type Scene = Awaited<ReturnType<typeof setUp>>;

const told = (outcome: unknown): unknown => {
  const { ok, value, refusal, kind } = (outcome ?? {}) as Record<string, unknown>;
  return kind ?? refusal ?? (typeof value === 'string' ? value : ok);
};

/** Each by an instance that knows nothing yet; and what it is answered with. */
const uses: Readonly<Record<string, readonly [unknown, (scene: Scene, newest: number) => Promise<unknown>]>> =
  {
    'a refresh': [
      true,
      async ({ refresh, pairOf, instance }, newest) =>
        refresh((await pairOf(newest)).refreshToken, {}, instance()),
    ],
    'a refresh once more, within the grace': [
      true,
      async ({ refresh, pairOf, instance, pass }, newest) => {
        pass(-minute + 1);
        return refresh((await pairOf(newest - 1)).refreshToken, {}, instance());
      },
    ],
    'a reuse': [
      'token-reused',
      async ({ refresh, pairOf, instance }) => refresh((await pairOf(0)).refreshToken, {}, instance()),
    ],
    'a duplicate of the exchange': [
      'code-already-redeemed',
      ({ exchange, code, instance }) => exchange(code, {}, instance()),
    ],
    'a revocation by the refresh token': [
      'revoked',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().revokeToken({ addonId, token: (await pairOf(newest)).refreshToken }),
    ],
    'a revocation of the newest access token': [
      'revoked',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().revokeToken({ addonId, token: (await pairOf(newest)).accessToken }),
    ],
    'a revocation of an older access token': [
      'revoked',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().revokeToken({ addonId, token: (await pairOf(Math.max(0, newest - 55))).accessToken }),
    ],
    'introspection of the refresh token': [
      'refresh',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().introspectToken({ addonId, audiences: [], token: (await pairOf(newest)).refreshToken }),
    ],
    'introspection of the newest access token': [
      'access',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().introspectToken({ addonId, audiences: [], token: (await pairOf(newest)).accessToken }),
    ],
    'introspection of an older access token': [
      'access',
      async ({ pairOf, instance, addonId }, newest) =>
        instance().introspectToken({
          addonId,
          audiences: [],
          token: (await pairOf(Math.max(0, newest - 55))).accessToken,
        }),
    ],
    'its end': [
      undefined,
      ({ store, fence, grantId }) =>
        makeRevokeGrant({ store, fence, now: () => t0 })({ grantId, reason: 'consent-withdrawn' }),
    ],
    'the reaction to a withdrawal or a deactivation': [
      undefined,
      ({ store, grantId }) =>
        makeEndGrants({ store, now: () => t0 })(
          {
            // eslint-disable-next-line @typescript-eslint/require-await
            grants: (async function* () {
              yield [{ grantId }];
            })(),
            reason: 'addon-deactivated',
            cause: { id: '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11' },
            actor: 'revoke-on-deactivation',
          },
          new AbortController().signal,
        ),
    ],
  };

describe('GR-01: what is read of a grant does not grow with its rotations', () => {
  const most = { calls: 4, events: 45 };

  test.each(Object.entries(uses))('%s', async (_name, [expected, use]) => {
    const seen = [];
    for (const rotations of [100, 1_000]) {
      const scene = await setUp(rotations);
      scene.read.calls = 0;
      scene.read.events = 0;
      const outcome = await use(scene, rotations);
      seen.push({ ...scene.read });
      expect(scene.read.calls).toBeLessThanOrEqual(most.calls);
      expect(scene.read.events).toBeLessThanOrEqual(most.events);
      expect(told(outcome)).toBe(expected);
    }
    expect(seen[1]).toEqual(seen[0]);
  });
});

test('GR-01, GR-03: the hour of rotations is counted on by whoever reads the newest events only', async () => {
  const { refresh, pairOf, instance } = await setUp(1_000, { rotationsPerHour: 60 });
  let { refreshToken } = await pairOf(1_000);
  let refused: unknown;
  for (let more = 0; more < 60 && refused === undefined; more += 1) {
    const refreshed = await refresh(refreshToken, {}, instance());
    if (refreshed.ok) ({ refreshToken } = refreshed.value);
    else refused = { after: more, refusal: refreshed.refusal };
  }
  expect(refused).toEqual({ after: 60 - ((1_000 % 60) + 1), refusal: 'rotated-too-often' });
});

/** A grant that was refreshed so often while its code is young, its first access token and a refresh token. */
const outsidersOf = async () => {
  const rotations = 4_000;
  const scene = await setUp(rotations);
  scene.pass(-(rotations + 1) * minute);
  const readFor = async <T>(work: () => Promise<T>) => {
    scene.read.events = 0;
    const outcome = await work();
    return { outcome, events: scene.read.events };
  };
  const { accessToken } = await scene.pairOf(0);
  const { refreshToken } = await scene.pairOf(1);
  const types = async () => (await scene.events()).map(({ type }) => type);
  return { ...scene, accessToken, refreshToken, readFor, types };
};

const stranger = '01JZZZZZZZZZZZZZZZZZZZZZZX';

describe('GR-02: who may not touch a grant that was refreshed 4,000 times is refused after a few events', () => {
  const most = 20;

  test('another client with its refresh token, warm or cold, however often it asks', async () => {
    const { refresh, refreshToken, instance, commands, readFor, types } = await outsidersOf();
    for (const by of [commands, instance(), commands, commands]) {
      const { outcome, events } = await readFor(() => refresh(refreshToken, { addonId: stranger }, by));
      expect(outcome).toEqual({ ok: false, refusal: 'token-of-another-client' });
      expect(events).toBeLessThan(most);
    }
    expect((await types()).filter((type) => type === 'RefreshRejected')).toHaveLength(1);
  });

  test('another client with its code, or its own without the proof', async () => {
    const { exchange, code, instance, commands, readFor } = await outsidersOf();
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
    const { accessToken, refreshToken, instance, commands, readFor } = await outsidersOf();
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
