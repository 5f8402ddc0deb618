import { ANY, binaryEvent, START } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, newStream } from './contract.ts';
import { given, happened, readStream } from './steps.ts';

const server = contract();

const link = async (target: string): Promise<string> => {
  const stream = newStream('links');
  await server.client.appendToStream(stream, [binaryEvent({ type: '$>', data: Buffer.from(target) })]);
  return stream;
};

/** eventstoredb.md §3.6. */
describe('a link', () => {
  test('is an ordinary event unless it is to be resolved', async () => {
    const [event] = await readStream(server.client, await link('0@nowhere'));
    expect(event).toMatchObject({ event: { type: '$>' } });
    expect(event?.link).toBeUndefined();
  });

  test('resolved, brings its target with it', async () => {
    const target = newStream();
    await given(server.client, target, 'two events');
    const links = await link(`1@${target}`);
    const [event] = await readStream(server.client, links, { resolveLinkTos: true });
    expect(event?.event).toMatchObject({ streamId: target, revision: 1n, type: 'Happened' });
    expect(event?.link).toMatchObject({ streamId: links, revision: 0n, type: '$>' });
    expect(event?.commitPosition).toBe(event?.link?.position?.commit);
  });

  test('to revision −1 means the last event', async () => {
    const target = newStream();
    await server.client.appendToStream(target, happened(4));
    const [event] = await readStream(server.client, await link(`-1@${target}`), { resolveLinkTos: true });
    expect(event?.event).toMatchObject({ streamId: target, revision: 3n });
  });

  test('whose target is missing, truncated or deleted stands alone', async () => {
    const [truncated, soft, hard] = [newStream(), newStream(), newStream()];
    await given(server.client, truncated, 'two events');
    await server.client.setStreamMetadata(truncated, { truncateBefore: 1 });
    await given(server.client, soft, 'soft-deleted');
    await given(server.client, hard, 'tombstoned');
    for (const target of [`0@${newStream()}`, `0@${truncated}`, `0@${soft}`, `0@${hard}`]) {
      const [event] = await readStream(server.client, await link(target), { resolveLinkTos: true });
      expect(event?.event).toBeUndefined();
      expect(event?.link?.type).toBe('$>');
    }
  });

  test('that is no link is returned as it is', async () => {
    const [event] = await readStream(server.client, await link('nonsense'), { resolveLinkTos: true });
    expect(event?.event?.type).toBe('$>');
    expect(event?.link).toBeUndefined();
  });

  test('is resolved in subscriptions too', async () => {
    const target = newStream();
    await given(server.client, target, 'two events');
    const links = await link(`0@${target}`);
    await server.client.appendToStream(links, happened(), { expectedRevision: ANY });
    const subscription = server.client.subscribeToStream(links, {
      fromRevision: START,
      resolveLinkTos: true,
    });
    const seen: string[] = [];
    for await (const { event } of subscription) {
      seen.push(event?.streamId ?? '');
      if (seen.length === 2) await subscription.unsubscribe();
    }
    expect(seen).toEqual([target, links]);
  });
});
