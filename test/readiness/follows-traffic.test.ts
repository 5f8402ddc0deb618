import { expect, onTestFinished, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { makeServerProbe } from '../../src/observability/readiness/server-probe.ts';
import { explainAppend } from '../../src/observability/readiness/server-probes.ts';
import { startTestNode } from '../support/servers/node.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const event: DomainEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 1 } };

test('FX-45: after the event store has gone, the first failed append makes the instance not ready; after its return, the first successful one makes it ready', async () => {
  const node = await startTestNode();
  const proxy = await startTcpProxy(node.port);
  const store = connectEventStore({
    url: proxy.url,
    timeouts: { unavailableMs: 300, outcomeMs: 300 },
    logger: quietLogger(),
  });
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
    await node.close();
  });
  const look = makeServerProbe({
    write: () => store.probe(),
    explain: explainAppend,
    traffic: () => store.outcomes(),
    ticks: () => performance.now(),
  });
  let stream = 0;
  const append = () =>
    store.append(accountStream(`A${++stream}`), 'no-stream', [{ event }]).then(
      () => true,
      () => false,
    );
  for (let round = 0; round < 3; round++) {
    expect(await append()).toBe(true);
    expect((await look()).trouble).toBeNull();
    await proxy.leave();
    expect(await append()).toBe(false);
    expect((await look()).trouble).toBe('an append was not confirmed');
    await proxy.comeBack();
    await expect.poll(append).toBe(true);
    expect((await look()).trouble).toBeNull();
  }
});

test('FX-100: reads and probes that are answered are known as the appends are', async () => {
  const node = await startTestNode();
  const store = connectEventStore({ url: node.url, logger: quietLogger() });
  onTestFinished(async () => {
    await store.close();
    await node.close();
  });
  for (const ask of [() => store.read(accountStream('A1')), () => store.confirmLeader()]) {
    const before = performance.now();
    expect(store.outcomes().answeredAt).toBeLessThan(before);
    await ask();
    expect(store.outcomes().answeredAt).toBeGreaterThanOrEqual(before);
  }
});
