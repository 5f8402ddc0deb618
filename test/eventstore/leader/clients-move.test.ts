import { expect, test } from 'vitest';
import { makeReadClients } from '../../../src/eventstore/client/read-client.ts';
import { makeWriteClients } from '../../../src/eventstore/client/write-client.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const url = 'esdb://127.0.0.1:1?tls=false';
/** Where a client connects to. */
const addressOf = ({ esdb }: { readonly esdb: unknown }) =>
  (esdb as { readonly resolveUri: () => Promise<string> }).resolveUri();

test.each([
  [
    'appends',
    (urlNow: () => Promise<string>) => {
      const clients = makeWriteClients(url, urlNow, 0, quietLogger());
      return { current: () => clients.current(), move: () => clients.moved('the leader has changed') };
    },
  ],
  [
    'reads',
    (urlNow: () => Promise<string>) => {
      const clients = makeReadClients(url, urlNow, 0);
      return { current: () => clients.current(), move: () => clients.replace() };
    },
  ],
])('FX-105: %s go to the new leader, whoever was told of the old one when it changed', async (_, make) => {
  const tell: ((address: string) => void)[] = [];
  const { current, move } = make(() => new Promise((resolve) => tell.push(resolve)));
  const waiting = current();
  tell.pop()?.('esdb://127.0.0.1:2?tls=false');
  move();
  await expect.poll(() => tell.length).toBe(1);
  tell.pop()?.('esdb://127.0.0.1:3?tls=false');
  expect(await addressOf(await waiting)).toBe('127.0.0.1:3');
});
