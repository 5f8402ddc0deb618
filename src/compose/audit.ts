import type { Logger } from 'pino';
import { asOf, type AsOf, type Moment } from '../audit/as-of.ts';
import { organizationAccess } from '../audit/event-lookup/organization-access.ts';
import { organizationEvents } from '../audit/event-lookup/organization-events.ts';
import { makeExposure, type AskExposure } from '../audit/exposure/exposure-with-reads.ts';
import { makeTimeline } from '../audit/make-timeline.ts';
import type { Decode } from '../audit/read-events.ts';
import type { Timeline } from '../audit/timeline.ts';
import { readSkippedEvents } from '../commands/skip-parked-event.ts';
import { typesWithSubjects } from '../domain/event-subjects.ts';
import { codec } from '../eventstore/codec.ts';
import type {
  EventStore,
  LogReader,
  LogSubscriptions,
  Position,
  StoredEvent,
} from '../eventstore/event-store.ts';
import type { PersonalData } from '../eventstore/personal-data.ts';
import { catchUpOn } from '../projections/catch-up.ts';
import { historyGroup, historyProjections } from '../projections/history.ts';
import { startKeepingStreams } from '../projections/keep-streams.ts';
import type { LeaderElectedWorker } from '../projections/leader-elected-worker.ts';
import { makeListReads, type ListReads } from '../projections/list-reads/read-reads.ts';
import { readNames, type ReadNames } from '../projections/names.ts';
import { watchProgress } from '../projections/progress.ts';
import { startProjector, type Projector } from '../projections/projector.ts';
import { makeHistoryReader } from '../projections/read-history.ts';
import { makePipelinedReader } from '../projections/pipelined-reader.ts';
import { readUnusedGrants, type ReadUnusedGrants } from '../projections/unused-grants.ts';
import { makeStreamsByOwner } from '../projections/streams-by-owner.ts';

export type AuditNeeds = {
  readonly databaseUrl: string;
  readonly store: EventStore & LogSubscriptions & LogReader;
  /** Opens what a person's key still opens; the rest reads `erased`. */
  readonly personal: Pick<PersonalData, 'decrypt'>;
  readonly now: () => number;
  /** Of grants, in milliseconds. */
  readonly lifetimes: { readonly refreshIdle: number; readonly refreshAbsolute: number };
  /** How many days the counts of reads are kept. */
  readonly readsRetentionDays: number;
  readonly logger: Logger;
};

/** What auditors ask, for the command line and for HTTP. */
export type Audit = {
  readonly timeline: Timeline;
  readonly names: ReadNames;
  /** What was read of lists. */
  readonly reads: ListReads;
  readonly unusedGrants: ReadUnusedGrants;
  readonly log: LogReader;
  readonly decode: Decode;
  readonly now: () => number;
  asOf(organizationId: string, moment: Moment, signal: AbortSignal): Promise<AsOf>;
  readonly exposure: AskExposure;
  /** What concerns an organization, in the order of the log. @throws Interrupted */
  organizationEvents(
    organizationId: string,
    range: { readonly until: Position; readonly signal: AbortSignal },
  ): AsyncIterable<StoredEvent>;
  /** Keeps the references of timelines, on at least one instance. */
  startHistory(): Projector;
  /** Keeps the names of organizations' streams, on at least one instance. */
  startStreams(): LeaderElectedWorker;
  /** Waits, bounded, until timelines know all that is in the log by now; false when they do not yet. Never throws. */
  settled(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Timelines and whatever else is read from the log itself. Their statements keep nobody else's waiting. */
export const composeAudit = (needs: AuditNeeds): Audit => {
  const { databaseUrl, store, personal, now, logger } = needs;
  const reader = makePipelinedReader({ databaseUrl, logger });
  const history = makeHistoryReader(reader);
  const names = readNames(reader);
  const reads = makeListReads(reader, { now, days: needs.readsRetentionDays });
  const concerned = { log: store, history, streams: makeStreamsByOwner(reader) };
  const decode: Decode = async (stored) => {
    const [opened] = await personal.decrypt([stored]);
    const { stream: streamId, created } = stored;
    return codec.decode({ ...stored, data: opened?.data, streamId, created: new Date(created) });
  };
  return {
    timeline: makeTimeline({ ...concerned, decode, names, now }),
    names,
    reads,
    unusedGrants: readUnusedGrants(reader, {
      now,
      countedSince: reads.countedSince,
      lifetimes: needs.lifetimes,
    }),
    log: store,
    decode,
    now,
    async asOf(organizationId, moment, signal) {
      const until = moment.position ?? (await store.head());
      const range = { ...(!moment.position && { time: moment.time }), signal };
      const events = until
        ? organizationAccess(concerned, { organizationId, records: 'profiles' }, { ...range, until })
        : none;
      return asOf({ events, decode, now }, organizationId, moment);
    },
    exposure: makeExposure({ concerned, decode, reads }),
    organizationEvents: (organizationId, range) => organizationEvents(concerned, organizationId, range),
    startStreams: () => startKeepingStreams({ databaseUrl, log: store, logger }),
    startHistory: () =>
      startProjector({
        databaseUrl,
        log: store,
        name: historyGroup,
        projections: historyProjections,
        skipped: readSkippedEvents(store),
        logger,
      }),
    async settled(timeoutMs) {
      // Listens for as long as it waits: only commands do, one after the other.
      const progress = watchProgress({ databaseUrl, reader, logger, name: historyGroup });
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        await catchUpOn({ log: store, progress }, typesWithSubjects, signal);
        return true;
      } catch {
        return false;
      } finally {
        await progress.close();
      }
    },
    close: () => reader.close(),
  };
};

/** Of an empty log. */
const none: AsyncIterable<never> = (async function* () {})();
