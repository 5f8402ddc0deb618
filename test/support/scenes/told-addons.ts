import type { Pool } from 'pg';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import type { LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import { makeSignalsProjection, signalsGroup } from '../../../src/signals/projection.ts';
import { supportedTypes } from '../../../src/signals/set-types.ts';
import { keepStream, type StreamRow } from '../../../src/signals/stream-table.ts';
import { projectAll } from '../log/test-projector.ts';
import { valueOf } from '../outcomes.ts';
import type { Served } from './http-scene.ts';

export const issuer = 'https://grantbook.example';

/** A stream that an add-on polls, enabled, of every event, as the worker of signals keeps it. */
export const pollStream = (addonId: string, streamId: string, of = issuer): StreamRow => ({
  streamId,
  addonId,
  method: 'poll',
  endpointUrl: null,
  authorizationHeader: null,
  status: 'enabled',
  reason: null,
  eventsRequested: supportedTypes(of),
});

/** Of a stream that an add-on polls, of no event. */
export const polling = {
  method: 'poll',
  endpointUrl: null,
  authorization: null,
  eventsRequested: [],
  description: null,
} as const;

/** Creates a stream that an add-on polls. @returns its id */
export const createPollStream = async (
  { commands }: Pick<Served, 'commands'>,
  addonId: string,
  eventsRequested: readonly string[] = [],
): Promise<string> => {
  const configuration = { ...polling, eventsRequested };
  const made = await commands.createSignalStream({ addonId, caller: 'operator', configuration });
  return valueOf(made).stream.streamId;
};

/** A token of a confidential add-on itself. */
export const ownToken = async (
  { commands }: Pick<Served, 'commands'>,
  addonId: string,
  ...scopes: readonly ('ssf.read' | 'ssf.manage')[]
): Promise<string> => {
  const [secret] = (await commands.listAddonSecrets(addonId)) ?? [];
  const asked = { addonId, secretId: secret?.secretId ?? '', scopes };
  return valueOf(await commands.issueAddonToken(asked)).accessToken;
};

/** An add-on gets a stream for everything, as the worker would have seen it. @returns its id */
export const giveStream = async (pool: Pool, addonId: string): Promise<string> => {
  const streamId = `${addonId}_stream`;
  await inPoolTransaction(pool, (tx) => keepStream(tx, pollStream(addonId, streamId)));
  return streamId;
};

/** Queues what the whole log says to add-ons, as the worker does, however long ago it was. */
export const queueTold = (databaseUrl: string, log: LogSubscriptions): Promise<void> =>
  projectAll(databaseUrl, log, {
    name: signalsGroup,
    projections: [makeSignalsProjection({ issuer, keepMs: Number.MAX_SAFE_INTEGER, now: Date.now })],
  });
