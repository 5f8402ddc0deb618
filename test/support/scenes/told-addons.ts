import type { Pool } from 'pg';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import type { LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import { makeSignalsProjection, signalsGroup } from '../../../src/signals/projection.ts';
import { supportedTypes } from '../../../src/signals/set-types.ts';
import { keepStream } from '../../../src/signals/stream-table.ts';
import { projectAll } from '../log/test-projector.ts';

export const issuer = 'https://grantbook.example';

/** An add-on gets a stream for everything, as the worker would have seen it. @returns its id */
export const giveStream = async (pool: Pool, addonId: string): Promise<string> => {
  const streamId = `${addonId}_stream`;
  const row = { streamId, addonId, method: 'poll', endpointUrl: null, authorizationHeader: null } as const;
  await inPoolTransaction(pool, (tx) =>
    keepStream(tx, { ...row, status: 'enabled', reason: null, eventsRequested: supportedTypes(issuer) }),
  );
  return streamId;
};

/** Queues what the whole log says to add-ons, as the worker does, however long ago it was. */
export const queueTold = (databaseUrl: string, log: LogSubscriptions): Promise<void> =>
  projectAll(databaseUrl, log, {
    name: signalsGroup,
    projections: [makeSignalsProjection({ issuer, keepMs: Number.MAX_SAFE_INTEGER, now: Date.now })],
  });
