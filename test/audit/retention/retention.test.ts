import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { startNode } from '#eventstore-node';
import type { LogCheck } from '../../../src/audit/log-heads/check-log.ts';
import type { TileSource } from '../../../src/audit/log-tiles/tile.ts';
import { growTree, LogChanged } from '../../../src/audit/log-heads/sign-head.ts';
import { newestRemoval, readRemovals } from '../../../src/audit/retention/removals.ts';
import { refusedAsRemoved } from '../../../src/audit/questions/log-positions.ts';
import { presentCheck } from '../../../src/cli/audit/present-check.ts';
import { organizationAccess } from '../../../src/audit/event-lookup/organization-access.ts';
import { asOf } from '../../../src/audit/timeline/as-of.ts';
import { exposure } from '../../../src/audit/exposure/exposure.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { fenceRowsIn } from '../../../src/domain/fence/fence-rows.ts';
import { fenceSubjectsOf, judgeFence } from '../../../src/domain/fence/fence.ts';
import {
  addonTokenStream,
  grantStream,
  retentionStream,
  sessionStream,
  type StreamName,
} from '../../../src/domain/streams.ts';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import {
  EventStoreUnavailable,
  type RecordedEvent,
  type StreamRemover,
} from '../../../src/eventstore/event-store.ts';
import { exchangeAnswers } from '../../../src/http/oauth/token/token-answers.ts';
import { startLogHeads } from '../../../src/reactions/log-heads.ts';
import { startRetention } from '../../../src/reactions/retention.ts';
import { eventually } from '../../support/eventually.ts';
import { freshDatabase, migratedDatabase } from '../../support/servers/databases.ts';
import {
  codeIssued,
  codeRedeemed,
  days,
  lifetimes,
  seconds,
  t0,
  terms,
} from '../../support/scenes/grants.ts';
import { issuance, issuanceOver } from '../../support/memory/issuance.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryIndexes } from '../../support/memory/memory-indexes.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { decodeStored } from '../decode-stored.ts';
import { newKey, signerOf } from '../exports.ts';
import { memoryTiles } from '../log-tiles/memory-tiles.ts';
import { fullyChecked, keepMs, overdueAt, removedBy, signedBy } from './retention-scene.ts';

const { signal } = new AbortController();

const id = (kind: string, at: number) => `01JD000000000000000000${kind}${String(at).padStart(3, '0')}`;
const started = (sessionId: string, at = t0): DomainEvent => ({
  type: 'SessionStarted',
  data: {
    upstream: null,
    passkey: null,
    sessionId,
    userId: terms.userId,
    keyId: 'k1',
    salt: 'c2FsdA',
    at,
    expiresAt: at + lifetimes.session,
    device: null,
    network: null,
  },
});
const ended: DomainEvent = { type: 'SessionEnded', data: { at: t0 + 1 } };
const handedOff: DomainEvent = {
  type: 'ActivationHandedOff',
  data: { organizationId: id('R', 1), addonId: terms.addonId, at: t0 + 1, expiresAt: t0 + 2 },
};
const issued = (grantId: string): DomainEvent =>
  ({ ...codeIssued, data: { ...terms, grantId } }) as DomainEvent;

const taken = (tokenId: string): DomainEvent => ({
  type: 'AddonTokenIssued',
  data: {
    tokenId,
    addonId: terms.addonId,
    secretId: id('C', 1),
    scopes: ['ssf.read'],
    at: t0,
    expiresAt: t0 + 3_600_000,
  },
});
const givenBack: DomainEvent = { type: 'AddonTokenRevoked', data: { at: t0 + 1 } };

/** What goes and what stays, each with something else between. */
const story = (): readonly (readonly [StreamName, readonly DomainEvent[]])[] => [
  [sessionStream(id('S', 1)), [started(id('S', 1)), ended]],
  [sessionStream(id('S', 2)), [started(id('S', 2))]],
  [sessionStream(id('S', 3)), [started(id('S', 3)), handedOff, ended]],
  [grantStream(id('G', 1)), [issued(id('G', 1))]],
  [grantStream(id('G', 2)), [issued(id('G', 2)), codeRedeemed(t0 + 1) as DomainEvent]],
  [
    grantStream(id('G', 3)),
    [issued(id('G', 3)), { type: 'CodeExchangeRejected', data: { reason: 'verifier-mismatch', at: t0 } }],
  ],
  [
    grantStream(id('G', 4)),
    [issued(id('G', 4)), { type: 'GrantRevoked', data: { reason: 'addon-deactivated', at: t0 } }],
  ],
  [grantStream(id('G', 5)), [issued(id('G', 5))]],
  [addonTokenStream(id('T', 1)), [taken(id('T', 1)), givenBack]],
  [sessionStream(id('S', 4)), [started(id('S', 4), t0 + days(1))]],
];
const going = [id('S', 1), id('S', 2), id('G', 1), id('G', 5), id('T', 1)];
/** Events of a category: three of two sessions, two codes, two of an add-on's own token. */
const gone = { session: 3, 'unredeemed-grant': 2, 'addon-token': 2 };

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** The embedded node and the gateway, with the story in the log and a signed head over it. */
const scene = async () => {
  const database = await freshDatabase();
  opened.push(() => database.drop());
  const open = async () => {
    const node = await startNode({ databaseUrl: database.url });
    const store = connectEventStore({ url: node.url, logger: quietLogger() });
    const close = async () => {
      await store.close();
      await node.close();
    };
    opened.push(close);
    return { store, close };
  };
  const tiles = memoryTiles();
  const first = await open();
  for (const [stream, events] of story())
    await first.store.append(
      stream,
      'no-stream',
      events.map((event) => ({ event })),
    );
  await signedBy(first.store, tiles);
  return {
    ...first,
    tiles,
    /** What the operator's scavenge does: the embedded node does it whenever it starts. */
    scavenged: async () => {
      await first.close();
      return (await open()).store;
    },
  };
};
type Store = Awaited<ReturnType<typeof scene>>['store'];

const stored = async (store: Store): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { stream } of store.readLog({ after: null, signal })) ids.push(stream.split('-')[1] ?? '');
  return [...new Set(ids)];
};
const announcements = async (store: Store) =>
  (await store.read(retentionStream)).events.map(({ event }) => event.data as { readonly total: object });

/** What `audit check-log` says of it. */
const shown = async (store: Store, found: LogCheck) => {
  const removed = (await readRemovals(store)).countBefore(found.size);
  return presentCheck(found, {
    from: null,
    copies: { earlier: [], ofThem: 0 },
    outside: 0,
    inside: found.agreed,
    removed,
  });
};

describe('GR-04: what can no longer matter goes from the log', () => {
  test('GR-04: whole streams, announced before; check-log counts them by category, with and without a scavenge', async () => {
    const { store, tiles, scavenged } = await scene();
    const before = await stored(store);
    const done = await removedBy(store, tiles);
    for (const one of going) {
      expect((await store.read(`session-${one}`)).revision).toBe('no-stream');
      expect((await store.read(`grant-${one}`)).revision).toBe('no-stream');
    }
    const told = await refusedAsRemoved({ store }, grantStream(id('G', 1)));
    expect(told?.message).toMatch(/removed at .* by documented retention, as unredeemed-grant/);
    expect(await refusedAsRemoved({ store }, grantStream(id('G', 2)))).toBeNull();
    expect((await newestRemoval(store))?.total).toEqual(gone);
    expect(await stored(store)).toEqual(expect.arrayContaining([...before]));
    await signedBy(store, tiles);
    expect(await fullyChecked(store, tiles)).toMatchObject({ difference: null, removed: {} });

    const after = await scavenged();
    expect(new Set(await stored(after))).toEqual(
      new Set([...before.filter((one) => !going.includes(one)), 'log']),
    );
    const checked = await fullyChecked(after, tiles);
    expect(checked).toMatchObject({ difference: null, removed: gone });
    expect(await shown(after, checked)).toMatchObject({ exitCode: 0, json: { ok: true, removed: gone } });
    // Nothing is left to do, from where it was and from the beginning; and the tree grows on.
    expect(await removedBy(after, tiles, { after: done })).toEqual(done);
    await removedBy(after, tiles);
    expect(await announcements(after)).toHaveLength(3);
    await signedBy(after, tiles);
    expect(await fullyChecked(after, tiles)).toMatchObject({ difference: null, removed: gone });
  });

  test('GR-04: an event that was deleted by hand is missing, and no tree is built over a log without it', async () => {
    const { store, tiles, scavenged } = await scene();
    await removedBy(store, tiles);
    await signedBy(store, tiles);
    const stays = grantStream(id('G', 2));
    await store.remove(stays, 1n);
    const after = await scavenged();
    const found = await fullyChecked(after, tiles);
    expect(found.difference).toMatchObject({ trouble: { kind: 'missing' } });
    const { exitCode, text } = await shown(after, found);
    expect(exitCode).toBe(1);
    expect(text).toMatch(/event \d+ of the log is missing, and no documented retention removed it/);
    await expect(growTree({ store: after, tiles: memoryTiles().source }, signal)).rejects.toThrow(LogChanged);
  });

  test('GR-04: the tree that was lost is the same one again, whatever was removed in front of it', async () => {
    const { store, tiles, scavenged } = await scene();
    await removedBy(store, tiles);
    await signedBy(store, tiles);
    const after = await scavenged();
    const again = memoryTiles();
    await growTree({ store: after, tiles: again.source, save: again.save }, signal);
    await growTree({ store: after, tiles: tiles.source, save: tiles.save }, signal);
    expect(again.all().map(({ hashes }) => hashes)).toEqual(tiles.all().map(({ hashes }) => hashes));
    expect(await fullyChecked(after, again)).toMatchObject({ difference: null, removed: gone });
  });

  test('GR-04: before its time, and before a signed head covers it, nothing goes', async () => {
    const { store, tiles } = await scene();
    expect(await removedBy(store, tiles, { now: () => t0 + keepMs - 1 })).toBeNull();
    const late = sessionStream(id('S', 9));
    await store.append(late, 'no-stream', [{ event: started(id('S', 9), t0 - days(1)) }]);
    await removedBy(store, tiles, { now: () => overdueAt + days(30) });
    expect((await store.read(late)).events).toHaveLength(1);
    expect((await store.read(sessionStream(id('S', 4)))).events).toHaveLength(0);
    await signedBy(store, tiles);
    await removedBy(store, tiles, { now: () => overdueAt + days(30) });
    expect((await store.read(late)).events).toHaveLength(0);
  });

  test('GR-04: killed anywhere between the announcement and the last removal, the next one goes on; of two one announces', async () => {
    const { store, tiles } = await scene();
    class Killed extends Error {
      override readonly name = 'Killed';
    }
    for (let calls = 0; calls <= going.length; calls++) {
      let left = calls;
      const dying: StreamRemover = {
        remove: (...stream) => (left-- > 0 ? store.remove(...stream) : Promise.reject(new Killed('killed'))),
      };
      await removedBy({ ...store, ...dying }, tiles, { most: 4 }).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
    }
    const both = await Promise.allSettled([removedBy(store, tiles), removedBy(store, tiles)]);
    for (const one of both)
      expect(one.status === 'fulfilled' || one.reason instanceof EventStoreUnavailable).toBe(true);
    await removedBy(store, tiles);
    for (const one of going) expect((await store.readStored(`session-${one}`, 0n, 1)).length).toBe(0);
    expect((await newestRemoval(store))?.total).toEqual(gone);
    await signedBy(store, tiles);
    expect(await fullyChecked(store, tiles)).toMatchObject({ difference: null });
  });

  test('GR-04: two instances: one leads, signs, and removes; what it is done with is in its checkpoint', async () => {
    const { store } = await scene();
    const { url: databaseUrl, drop } = await migratedDatabase();
    opened.push(drop);
    const needs = { databaseUrl, store, logger: quietLogger(), now: () => overdueAt };
    const heads = startLogHeads({ ...needs, sign: signerOf(await newKey()), intervalMs: 1 });
    opened.push(() => heads.stop());
    await heads.caughtUp;
    const both = [0, 1].map(() => startRetention({ ...needs, keepMs, everyMs: 20 }));
    for (const one of both) opened.push(() => one.stop());
    await Promise.race(both.map(({ caughtUp }) => caughtUp));
    await eventually(async () => expect((await newestRemoval(store))?.total).toEqual(gone));
    expect(await announcements(store)).toHaveLength(3);
    await eventually(() => {
      const [leader] = both.filter((one) => one.status().role === 'leading');
      expect(leader?.status().position).not.toBeNull();
    });
  });

  test('GR-04: a stream that was written to meanwhile stays; of a removed one nobody learns anything but that it is empty', async () => {
    const { store, tiles } = await scene();
    const grown = grantStream(id('G', 1));
    const late = { type: 'GrantRevoked', data: { reason: 'addon-deactivated', at: t0 } } as const;
    await removedBy(
      {
        ...store,
        async remove(stream, revision) {
          if (stream === grown) await store.append(grown, 0n, [{ event: late }]);
          return store.remove(stream, revision);
        },
      },
      tiles,
    );
    expect((await store.read(grown)).events).toHaveLength(2);
    const empty = grantStream(id('G', 5));
    expect(await store.append(empty, 0n, [{ event: late }])).toEqual({ ok: false, actual: 'no-stream' });
    expect(await store.readEnd(empty, 'last', 1)).toEqual([]);
    expect(await store.remove(empty, 0n)).toBe('removed');
    await signedBy(store, tiles);
    expect(await fullyChecked(store, tiles)).toMatchObject({ difference: null });
  });
});

type Step = {
  readonly do: 'code' | 'redeem' | 'bad' | 'refresh' | 'deactivate' | 'activate';
  readonly own: boolean;
  readonly which: number;
};
const aLife = fc.array(
  fc.record({
    do: fc.constantFrom(
      'code',
      'code',
      'code',
      'redeem',
      'redeem',
      'bad',
      'refresh',
      'deactivate',
      'activate',
    ),
    own: fc.boolean(),
    which: fc.nat(9),
  }),
  { minLength: 3, maxLength: 25 },
);

/** What add-ons hold after that life, and the log. */
const lived = async (steps: readonly Step[]) => {
  const world = await issuance();
  const { userId } = world;
  const codes: string[] = [];
  const tokens: { readonly accessToken: string; readonly refreshToken: string }[] = [];
  const pick = <T>(from: readonly T[], which: number): T | undefined =>
    from[which % Math.max(1, from.length)];
  for (const step of steps) {
    const code = pick(codes, step.which);
    const pair = pick(tokens, step.which);
    if (step.do === 'code') {
      const subject = { kind: 'user', userId, epoch: 0 } as const;
      const made = await world.issueOutcome(step.own ? { subject } : {});
      if (made.ok) codes.push(made.value.code);
    }
    if (step.do === 'redeem' && code !== undefined) {
      const made = await world.exchange(code);
      if (made.ok) tokens.push(made.value);
    }
    if (step.do === 'bad' && code !== undefined) await world.exchange(code, { codeVerifier: 'x'.repeat(43) });
    if (step.do === 'refresh' && pair) {
      const made = await world.refresh(pair.refreshToken);
      if (made.ok) tokens.push(made.value);
    }
    if (step.do === 'deactivate') await world.deactivate();
    if (step.do === 'activate') await world.activate();
    world.pass(seconds(5));
  }
  const { addonId, organizationId, store } = world;
  const events = store.all().map((event) => ({ ...event, created: event.event.data.at }));
  return { addonId, organizationId, codes, tokens, events };
};

/** The same life a year and more later, over a log that may have lost something. */
const askedOf = async (
  { addonId, organizationId, codes, tokens, events: all }: Awaited<ReturnType<typeof lived>>,
  events: readonly RecordedEvent[],
) => {
  const fence = memoryFence();
  await fence.write(fenceRowsIn(events));
  const world = issuanceOver({ store: memoryStore({}, events), fence });
  world.pass(keepMs + days(1));
  const { commands } = world;
  const until = all.at(-1)?.position ?? { commit: 0n, prepare: 0n };
  const access = (records: 'all' | 'profiles', more = {}) =>
    organizationAccess(
      memoryIndexes(events, { history: 1e6, streams: 1e6 }),
      { organizationId, records, ...more },
      { until, signal },
    );
  const now = () => t0 + keepMs + days(1);
  const window = { from: 0, to: 4e12, skip: 0, limit: 1000 };
  const open = await exposure(
    { events: access('all', { addonId }), decode: decodeStored },
    { organizationId, addonId, ...window },
  );
  const { grants, activations } = await asOf(
    { events: access('profiles'), decode: decodeStored, now },
    organizationId,
    {
      time: now(),
    },
  );
  const answers: unknown[] = [];
  for (const { accessToken, refreshToken } of tokens) {
    for (const token of [accessToken, refreshToken])
      answers.push(await commands.introspectToken({ addonId, token, audiences: [] }));
    const claims = commands.verifyAccessToken(accessToken);
    answers.push(claims && judgeFence(claims, await fence.read(fenceSubjectsOf(claims))));
    const again = await world.refresh(refreshToken, { addonId });
    answers.push(again.ok ? 'refreshed' : again.refusal);
    answers.push(await commands.revokeToken({ addonId, token: refreshToken }));
  }
  for (const code of codes) {
    const again = await world.exchange(code, { addonId });
    answers.push(again.ok ? 'exchanged' : exchangeAnswers[again.refusal]);
  }
  return { answers, grants, activations, intervals: open.intervals, tokens: open.tokens };
};

test('the tiles, which one connection reads, are asked for one after the other', async () => {
  const [log, tiles] = [memoryStore(), memoryTiles()];
  for (const [stream, events] of story())
    await log.append(
      stream,
      'no-stream',
      events.map((event) => ({ event })),
    );
  await signedBy(log, tiles);
  let [asked, most] = [0, 0];
  const counted = async <T>(answer: Promise<T>): Promise<T> => {
    asked += 1;
    most = Math.max(most, asked);
    await nextTurn();
    asked -= 1;
    return answer;
  };
  const source: TileSource = {
    tile: (level, index) => counted(tiles.source.tile(level, index)),
    newest: () => counted(tiles.source.newest()),
    at: (position) => counted(tiles.source.at(position)),
  };
  const removed: string[] = [];
  const remove: StreamRemover['remove'] = (stream) => {
    removed.push(stream);
    return Promise.resolve('removed');
  };
  await removedBy({ ...log, remove }, tiles, { tiles: source });
  expect([removed.length, most]).toEqual([going.length, 1]);
});

test('GR-04: no exchange, refresh, introspection, bearer check, as-of or exposure is another one for what was removed', async () => {
  let removedInAll = 0;
  await fc.assert(
    fc.asyncProperty(aLife, async (steps) => {
      const life = await lived(steps);
      const [log, tiles] = [memoryStore({}, life.events), memoryTiles()];
      await signedBy(log, tiles);
      const names = new Set<string>();
      const remove: StreamRemover['remove'] = (stream) => {
        names.add(stream);
        return Promise.resolve('removed');
      };
      await removedBy({ ...log, remove }, tiles, { now: () => overdueAt + days(1) });
      removedInAll += names.size;
      const left = life.events.filter(({ stream }) => !names.has(stream));
      expect(await askedOf(life, left)).toEqual(await askedOf(life, life.events));
    }),
    propertyRuns(25),
  );
  expect(removedInAll).toBeGreaterThan(0);
});
