import { randomUUID } from 'node:crypto';
import { attemptAppend } from './append-attempt.ts';
import { describeError, refusedAccess, statusOf } from './esdb-errors.ts';
import { type AppendResult, EventStoreUnavailable, type StoreProbe } from '../event-store.ts';
import type { Outbox } from './outbox.ts';
import type { ReadClients } from './read-client.ts';
import type { Timeouts } from './timeouts.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import type { WriteClients } from './write-client.ts';

type Dependencies = {
  readonly clients: WriteClients;
  readonly readers: Pick<ReadClients, 'current'>;
  readonly outbox: Outbox;
  readonly timeouts: Timeouts;
};

/**
 * The target of write tests: the metadata of a stream without events. The server keeps only the newest event of such a
 * stream, and because it is a system stream, none of our subscriptions, proofs or exports contains it (ADR 39).
 */
const probeStream = '$$readiness-probe';

/**
 * Appends once, over the same connection as commands, and reads back the newest probe, of this or another instance.
 * @throws EventStoreUnavailable, RightMissing
 */
export const makeEsdbProbe =
  ({ clients, readers, outbox, timeouts }: Dependencies) =>
  async (): Promise<StoreProbe> => {
    const asked = Date.now();
    const client = await clients.current();
    const attempt = await attemptAppend(client, outbox, newProbe(), timeouts.appendMs);
    if (attempt.kind !== 'answered') {
      if (attempt.kind === 'refused') throw attempt.error;
      if (attempt.broken !== undefined) clients.replace(client, attempt.broken);
      throw new EventStoreUnavailable(`no write: ${describeError(attempt.cause)}`, { cause: attempt.cause });
    }
    const { revision } = attempt.result as Extract<AppendResult, { readonly ok: true }>; // at any revision
    const reader = await readers.current();
    const created = await withTimeout(timeouts.readMs, readCreated(reader.esdb, revision)).catch(
      (cause: unknown) => {
        throw statusOf(cause) === undefined ? cause : refusedAccess('read-metadata', cause);
      },
    );
    return { asked, created, answered: Date.now() };
  };

const newProbe = () => ({
  stream: probeStream,
  expected: 'any' as const,
  events: [{ id: randomUUID(), type: '$metadata', data: { $maxCount: 1 }, metadata: {} }],
});

type Reader = Awaited<ReturnType<ReadClients['current']>>['esdb'];

const readCreated = async (esdb: Reader, written: bigint): Promise<number> => {
  const newest = esdb.readStream(probeStream, {
    direction: 'backwards',
    fromRevision: 'end',
    maxCount: 1,
  });
  for await (const { event } of newest)
    if (event && event.revision >= written) return event.created.getTime();
  throw new EventStoreUnavailable('the event that was just written cannot be read');
};
