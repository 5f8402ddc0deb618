import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askReadiness } from '../support/scenes/ask-readiness.ts';
import { clockThatSteps } from '../support/servers/instance.ts';
import { freshDatabase, serverOf, urlThrough } from '../support/servers/databases.ts';
import { startTestNode } from '../support/servers/node.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { startTwoInstances, type TwoInstances } from '../support/servers/two-instances.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

describe('one of two instances', () => {
  let two: TwoInstances;
  const wires: Record<'database' | 'eventStore', TcpProxy> = {} as never;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const node = await startTestNode();
    const database = await freshDatabase();
    wires.database = await startTcpProxy(serverOf(database.url));
    wires.eventStore = await startTcpProxy(node.port);
    const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
    const throughWires = {
      databaseUrl: urlThrough(wires.database, database.url),
      eventStoreUrl: wires.eventStore.url,
    };
    two = await startTwoInstances([stores, throughWires], { NODE_OPTIONS: clockThatSteps });
    closers.push(
      two.stop,
      () => wires.database.close(),
      () => wires.eventStore.close(),
      () => node.close(),
      () => database.drop(),
    );
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });

  const other = () => askReadiness(two.instances[0].baseUrl);
  const cutOff = () => askReadiness(two.instances[1].baseUrl);
  const often = { interval: 250 };

  test.each(['database', 'eventStore'] as const)(
    'OP-05: cut off from its %s it names that within 15 s and comes back by itself, and the other one serves on',
    async (server) => {
      allowTrouble(/^error: the server (cannot be used|does not accept writes)/, /connection .*was lost/);
      await expect.poll(cutOff, often).toMatchObject({ status: 'ready' });
      wires[server].freeze();
      await expect.poll(cutOff, often).toMatchObject({
        status: 'not-ready',
        checks: { [server]: expect.stringMatching(/^(unreachable|does not accept writes)/) as string },
      });
      await expect.poll(other, often).toMatchObject({ status: 'ready' });
      wires[server].thaw();
      await expect.poll(cutOff, often).toMatchObject({ status: 'ready' });
    },
  );

  test('OP-05: whose clock steps by a minute names it within 15 s, and is ready again when it is set back', async () => {
    const stepped = two.instances[1].child;
    stepped.kill('SIGWINCH');
    await expect.poll(cutOff, often).toMatchObject({
      status: 'not-ready',
      checks: {
        clocks:
          'the clock of the event store is 60 s behind ours, the clock of the database is 60 s behind ours',
      },
    });
    const metrics = await (await fetch(`${two.instances[1].baseUrl}/metrics`)).text();
    const offset = /^grantbook_server_clock_offset_seconds\{server="database"\} (\S+)$/m.exec(metrics);
    expect(Math.round(Number(offset?.[1]) / 10)).toBe(-6); // what the answer took on its way is in it, too
    expect(await other()).toMatchObject({ status: 'ready', checks: { clocks: 'ok' } });
    stepped.kill('SIGWINCH');
    await expect.poll(cutOff, often).toMatchObject({ status: 'ready' });
  });
});
