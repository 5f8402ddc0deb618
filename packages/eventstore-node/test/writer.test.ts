import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { embedded, newStream } from './contract/contract.ts';
import { attempt, happened, readStream, revisions } from './contract/steps.ts';

describe('group commit', () => {
  const server = embedded();

  test('puts appends that wait together into one transaction', async () => {
    await attempt(server.client, newStream(), happened());
    const before = server.node.stats();
    await Promise.all(Array.from({ length: 200 }, () => attempt(server.client, newStream(), happened())));
    const after = server.node.stats();
    expect(after.requests - before.requests).toBe(200);
    expect(after.groups - before.groups).toBeLessThan(100);
  });

  test('decides in arrival order, each append seeing those before it in its group', async () => {
    const stream = newStream();
    await attempt(server.client, newStream(), happened());
    const chain = Array.from({ length: 50 }, (_, number) =>
      attempt(server.client, stream, happened(), number === 0 ? NO_STREAM : BigInt(number - 1)),
    );
    expect(await Promise.all(chain)).toEqual(chain.map((_, number) => `written ${number}`));
    expect(await revisions(server.client, stream)).toHaveLength(50);
  });

  test('an append and its repetition in one group are one append', async () => {
    const [stream, any] = [newStream(), newStream()];
    const events = happened(2);
    const exact = await Promise.all(
      Array.from({ length: 10 }, () => attempt(server.client, stream, events, NO_STREAM)),
    );
    expect(new Set(exact)).toEqual(new Set(['written 1']));
    await Promise.all(Array.from({ length: 10 }, () => attempt(server.client, any, events)));
    expect(await revisions(server.client, any)).toEqual([0, 1]);
  });
});

describe('positions above 2^53', () => {
  const firstPosition = 2n ** 53n + 1n;
  const server = embedded({ firstPosition });

  test('come back exactly, in answers, reads and subscriptions', async () => {
    const stream = newStream();
    const written = await server.client.appendToStream(stream, happened(2));
    expect(written.position?.commit).toBeGreaterThan(firstPosition);
    const [first, second] = (await readStream(server.client, stream)).map(({ event }) => event?.position);
    expect(second).toEqual(written.position);
    const subscription = server.client.subscribeToAll({ fromPosition: first ?? 'start' });
    for await (const { event } of subscription) {
      expect(event?.position).toEqual(written.position);
      await subscription.unsubscribe();
    }
  });
});
