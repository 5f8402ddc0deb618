import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import type { Member } from '../../../packages/eventstore-node/src/faults.ts';
import { startFakeNode } from '../../support/servers/fake-node.ts';
import { startTestNode, type TestNode } from '../../support/servers/node.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts';

/**
 * Two ways to one log stand for two nodes of a cluster, and three more nodes belong to it. All say who leads. Nothing is left to the patience of the
 * gateway: only news of another leader can end a wait.
 */
const patient = {
  appendMs: 600_000,
  outcomeMs: 600_000,
  readMs: 600_000,
  unavailableMs: 600_000,
  confirmMs: 600_000,
  closeMs: 1_000,
};

let node: TestNode;
let first: TcpProxy;
let second: TcpProxy;
let leads: string | null;
/** What the nodes that are not asked for something else say. */
const members = (leaders: readonly (string | null)[] = [leads]): readonly Member[] =>
  [...seeds, first, second].map(at).map((address) => ({ address, leads: leaders.includes(address) }));
let seeds: Awaited<ReturnType<typeof startFakeNode>>[];
let store: ReturnType<typeof connectEventStore>;
const logger = quietLogger();
const changesSaid = () =>
  logger.lines.filter(({ message }) => message === 'event store: the leader has changed');

const at = ({ port }: { readonly port: number }) => `127.0.0.1:${port}`;

beforeEach(async () => {
  node = await startTestNode();
  [first, second] = await Promise.all([startTcpProxy(node.port), startTcpProxy(node.port)]);
  leads = at(first);
  seeds = await Promise.all([1, 2, 3].map(() => startFakeNode({ members: () => members() })));
  node.faults.gossip({ kind: 'members', members: () => members() }, { times: Infinity });
  store = connectEventStore({
    url: `esdb://${seeds.map(at).join(',')}?tls=false`,
    timeouts: patient,
    logger,
  });
});
afterEach(async () => {
  await store.close();
  await Promise.all(seeds.map((seed) => seed.close()));
  await Promise.all([first.close(), second.close()]);
  await node.close();
});

const disabled = (epoch: number): DomainEvent => ({ type: 'AccountDisabled', data: { epoch, at: 1 } });
const append = (epoch: number) =>
  store.append(accountStream('C1'), epoch === 1 ? 'no-stream' : BigInt(epoch - 2), [
    { event: disabled(epoch) },
  ]);

const follow = () => {
  const leaving = new AbortController();
  const seen: bigint[] = [];
  const { signal } = leaving;
  const done = (async () => {
    for await (const message of store.subscribe({ after: null, eventTypes: ['AccountDisabled'], signal }))
      if (message.kind === 'event') seen.push(message.event.revision);
  })();
  return { seen, stop: () => (leaving.abort(), done) };
};

test('OP-13: after the leader has fallen silent, what waits for it goes on with the next one as soon as that is known', async () => {
  const followed = follow();
  expect(await append(1)).toMatchObject({ ok: true });
  await expect.poll(() => followed.seen).toEqual([0n]);
  first.freeze();
  const waiting = [append(2), store.read(accountStream('C1')), store.head()] as const;
  leads = at(second);
  expect(await waiting[0]).toMatchObject({ ok: true, revision: 1n });
  expect((await waiting[1]).events.length).toBeGreaterThanOrEqual(1);
  expect(await waiting[2]).not.toBeNull();
  expect(await append(3)).toMatchObject({ ok: true, revision: 2n });
  await expect.poll(() => followed.seen).toEqual([0n, 1n, 2n]);
  await followed.stop();
  expect(logger.lines.map(({ message }) => message)).toContain('event store: the leader has changed');
});

test('FX-105: what still waits for its connection to a silent leader goes on with the next one as soon as that is known', async () => {
  first.freezeFrom('PRI * HTTP', 'requests');
  const waiting = [append(1), store.read(accountStream('C2'))] as const;
  await expect.poll(() => first.isFrozen()).toBe(true);
  leads = at(second);
  expect(await waiting[0]).toMatchObject({ ok: true });
  expect(await waiting[1]).toMatchObject({ events: [] });
});

test('OP-13: after the death of the leader a call waits for the end of the election, and is answered by the next one', async () => {
  const followed = follow();
  expect(await append(1)).toMatchObject({ ok: true });
  leads = null;
  await first.close();
  const waiting = append(2);
  leads = at(second);
  expect(await waiting).toMatchObject({ ok: true, revision: 1n });
  await expect.poll(() => followed.seen).toEqual([0n, 1n]);
  await followed.stop();
});

test('OP-13: one node that still names the old leader does not outvote the others, and a silent one delays nobody', async () => {
  expect(await append(1)).toMatchObject({ ok: true });
  await seeds[2]?.close();
  const old = leads;
  const deposed = await startFakeNode({ members: () => members([old]) });
  seeds = [...seeds.slice(0, 2), deposed];
  await store.close();
  store = connectEventStore({
    url: `esdb://${seeds.map(at).join(',')}?tls=false`,
    timeouts: patient,
    logger,
  });
  first.freeze();
  leads = at(second);
  expect(await append(2)).toMatchObject({ ok: true, revision: 1n });
});

test('FX-42: a deposed leader that returns is not used: neither while all list two live leaders, nor when it is the only one to answer', async () => {
  const earlier = changesSaid().length;
  expect(await append(1)).toMatchObject({ ok: true });
  leads = at(second);
  await expect.poll(() => changesSaid().length).toBeGreaterThan(earlier);
  expect(await append(2)).toMatchObject({ ok: true });
  node.faults.clear();
  const both = [at(first), at(second)];
  const says = { leaders: both as (string | null)[] };
  node.faults.gossip({ kind: 'members', members: () => members(says.leaders) }, { times: Infinity });
  let asked = 0;
  await Promise.all(seeds.map((seed) => seed.close()));
  seeds = await Promise.all(
    seeds.map(({ port }) => startFakeNode({ port, members: () => (asked++, members(both)) })),
  );
  await expect.poll(() => asked).toBeGreaterThan(6);
  says.leaders = [at(first)];
  await Promise.all(seeds.map((seed) => seed.close()));
  await expect(store.confirmLeader()).rejects.toThrow('do not name the same leader');
  expect(
    changesSaid()
      .slice(earlier)
      .map(({ context }) => context),
  ).toEqual([{ leader: at(second), before: at(first) }]);
  expect(await append(3)).toMatchObject({ ok: true, revision: 2n });
});

test('FX-42: without a majority at the start no node is used; subscriptions, reads and appends begin with the first majority', async () => {
  await store.close();
  const says = { leaders: [at(first), at(second)] as (string | null)[] };
  node.faults.clear();
  node.faults.gossip({ kind: 'members', members: () => members(says.leaders) }, { times: Infinity });
  await Promise.all(seeds.map((seed) => seed.close()));
  seeds = await Promise.all(
    seeds.map(({ port }) => startFakeNode({ port, members: () => members(says.leaders) })),
  );
  const url = `esdb://${seeds.map(at).join(',')}?tls=false`;
  store = connectEventStore({ url, timeouts: { ...patient, unavailableMs: 500 }, logger });
  const followed = follow();
  await expect(append(1)).rejects.toThrow(EventStoreUnavailable);
  await expect(store.read(accountStream('C1'))).rejects.toThrow(EventStoreUnavailable);
  await store.close();
  await followed.stop();
  store = connectEventStore({ url, timeouts: patient, logger });
  const begun = follow();
  const waiting = [append(1), store.head()] as const;
  says.leaders = [at(second)];
  expect(await waiting[0]).toMatchObject({ ok: true });
  expect(await waiting[1]).not.toBeNull();
  await expect.poll(() => begun.seen).toEqual([0n]);
  await begun.stop();
});
