import { makeAskAsOf } from '../audit/timeline/as-of.ts';
import { organizationEvents } from '../audit/event-lookup/organization-events.ts';
import { makeExposure } from '../audit/exposure/exposure-with-reads.ts';
import { makePrepared } from '../audit/prepared.ts';
import { makeTimeline } from '../audit/timeline/make-timeline.ts';
import type { Position } from '../eventstore/event-store.ts';
import { historySettled } from '../projections/history/history-settled.ts';
import { makeListReads } from '../projections/read-counts/read-reads.ts';
import { readCounts, readLatestGrants } from '../projections/operations/counts.ts';
import { readNames } from '../projections/kernel/names.ts';
import { makePipelinedReader } from '../projections/database/pipelined-reader.ts';
import { makeHistoryReader } from '../projections/history/read-history.ts';
import { makeStreamsByOwner } from '../projections/kernel/streams-by-owner.ts';
import { makePreparedAnswers } from '../projections/working-state/prepared-answers.ts';
import { packageVersion } from '../process/package-root.ts';
import { readUnusedGrants } from '../projections/access/unused-grants.ts';
import { readTold } from '../signals/read-sets-of-events.ts';
import type { Stores } from './stores.ts';
import { codec } from '../eventstore/codec/codec.ts';
import type { PersonalData } from '../eventstore/codec/personal-data.ts';
import type { Decode } from '../audit/read-events.ts';

type Dependencies = Pick<
  Stores,
  | 'config'
  | 'databaseUrl'
  | 'pool'
  | 'keys'
  | 'listener'
  | 'generation'
  | 'store'
  | 'personal'
  | 'now'
  | 'logger'
>;

/** What auditors query: timelines, and everything else that is read from the log itself. */
export const composeAudit = ({
  config,
  databaseUrl,
  pool,
  keys,
  listener,
  generation: database,
  store,
  personal,
  now,
  logger,
}: Dependencies) => {
  const reader = makePipelinedReader({ databaseUrl, logger, database }); // so that these statements delay no others
  const names = readNames(reader);
  const reads = makeListReads(reader, { now, days: config.readsRetentionDays });
  const history = makeHistoryReader(reader);
  const lookup = { log: store, history, streams: makeStreamsByOwner(reader) };
  const decode = makeDecode(personal.data);
  const { countedSince } = reads;
  return {
    timeline: makeTimeline({ ...lookup, decode, names, told: readTold(reader), now }),
    names,
    counts: readCounts(reader, now),
    latestGrants: readLatestGrants(reader),
    reads,
    unusedGrants: readUnusedGrants(reader, { now, countedSince }),
    log: store,
    decode,
    now,
    asOf: makeAskAsOf({ lookup, decode, now }),
    exposure: makeExposure({ lookup, decode, reads }),
    /** Answers that may take long, of all instances. */
    prepared: makePrepared({ table: makePreparedAnswers({ pool }), keys, now, version: packageVersion }),
    /** The events about an organization, in the order of the log. @throws Interrupted */
    organizationEvents: (
      organizationId: string,
      range: { readonly until: Position; readonly signal: AbortSignal },
    ) => organizationEvents(lookup, organizationId, range),
    /** Waits until timelines have applied what is in the log now; false when they have not in time. Never throws. */
    settled: (timeoutMs: number) => historySettled({ listener, log: store, reader }, timeoutMs),
    close: () => reader.close(),
  };
};

export type Audit = ReturnType<typeof composeAudit>;

/** @param personal decrypts the fields whose key still exists; the others read `erased` */
const makeDecode =
  (personal: Pick<PersonalData, 'decrypt'>): Decode =>
  async (stored) => {
    const [opened] = await personal.decrypt([stored]);
    const { stream: streamId, created } = stored;
    return codec.decode({
      ...stored,
      data: opened?.data,
      streamId,
      created: new Date(created),
    });
  };
