import type { Pool } from 'pg';
import { inPoolTransaction, statement } from '../common/transaction.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { SignalStatus, SignalStream } from '../domain/signals/signal-stream.ts';
import type { PipelinedReader } from '../projections/database/pipelined-reader.ts';
import { totalOf } from '../projections/kernel/sorted-list.ts';
import type { EndpointGuard } from './endpoint/endpoint-guard.ts';
import { makeReadSets, type QueueStanding } from './read-sets.ts';
import { notifyStream } from './set-queue.ts';
import { recordsChangedType, supportedTypes } from './set-types.ts';
import { ensureStream } from './stream-table.ts';
import { minVerificationInterval, verifyStream, type Verified } from './verify-stream.ts';

export type ManageStreams = ReturnType<typeof makeManageStreams>;

export type Verify = {
  readonly stream: SignalStream;
  readonly state: string | null;
  readonly txn: string;
  readonly isUnlimited: boolean;
};

type Dependencies = {
  readonly pool: Pool;
  readonly reader: Pick<PipelinedReader, 'query'>;
  readonly guard: EndpointGuard;
  readonly newId: () => string;
  readonly issuer: string;
  readonly now: () => Instant;
};

export const makeManageStreams = ({ pool, reader, guard, issuer, newId, now }: Dependencies) => {
  const sets = makeReadSets(reader.query);
  return {
    /** What can be asked for. @param records whether changes of records are, too */
    eventTypes: (records: boolean): readonly string[] =>
      supportedTypes(issuer).filter((type) => records || type !== recordsChangedType(issuer)),
    /** A stream that was just created is listed at once, whether a worker runs or not. */
    keep: (stream: SignalStream): Promise<void> =>
      inPoolTransaction(pool, (tx) =>
        ensureStream(tx, { ...stream, authorizationHeader: stream.authorization }),
      ),
    /** In seconds. */
    minVerificationInterval,
    /** What is wrong with a URL that is to be pushed to, as `must …`; null if nothing is. */
    endpointProblem: guard.problem,
    /** Queues a verification event; refused if the receiver asked too soon after the last one. */
    verify: (verify: Verify): Promise<Verified> =>
      inPoolTransaction(pool, (tx) => verifyStream(tx, { ...verify, jti: newId(), now: now() })),
    /** How delivery stands; a stream that the worker has not seen yet is left out. */
    standings: sets.standings,
    failingAmong: sets.failingAmong,
    /** The same of messages about one organization. */
    standingFor: (streamId: string, organizationId: string): Promise<QueueStanding> =>
      sets.ofQueue(streamId, `organization:${organizationId}`),
    /** Up to `limit` add-ons that have a stream, in the order of the streams' ids. @param after a stream's id */
    list: async ({ after, limit, addonId, state }: StreamFilter): Promise<readonly string[]> => {
      const values = [after, limit, addonId, state];
      const rows = await reader.query<{ readonly stream_id: string }>(selectStreams, values);
      return rows.map(({ stream_id: streamId }) => streamId);
    },
    /** How many there are, counted to `most`. */
    count: async ({ addonId, state }: Pick<StreamFilter, 'addonId' | 'state'>, most: number) => {
      const values = [null, most + 1, addonId, state];
      const [row] = await reader.query<{ readonly count: number }>(countStreams, values);
      return totalOf(row?.count ?? 0, most);
    },
    /** Wakes whoever waits for a stream. It has changed all the same if that fails: polls end by themselves. */
    wake: (streamId: string): Promise<unknown> => pool.query(notifyStream.text, [streamId]).catch(() => null),
  };
};

type StreamFilter = {
  readonly after: string | null;
  readonly limit: number;
  readonly addonId: string | null;
  /** `failing`: the last push did not work. */
  readonly state: SignalStatus | 'failing' | null;
};

const matching = `
  from signal_streams
  where status <> 'deleted' and ($1::text is null or stream_id > $1) and ($3::text is null or addon_id = $3)
    and case $4::text when 'failing' then failing_since is not null else coalesce($4, status) = status end`;

const selectStreams = statement(
  'list-signal-streams',
)`select stream_id ${matching} order by stream_id limit $2`;

const countStreams = statement('count-signal-streams')`
  select count(*)::int as count from (select 1 ${matching} limit $2) as counted`;
