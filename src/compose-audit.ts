import type { Logger } from 'pino';
import { asOf, type AsOf, type Moment } from './audit/as-of.ts';
import { organizationAccess } from './audit/concerned/organization-access.ts';
import { organizationEvents } from './audit/concerned/organization-events.ts';
import { exposure, type Exposure, type ExposureRequest } from './audit/exposure/exposure.ts';
import { makeTimeline } from './audit/make-timeline.ts';
import type { Decode } from './audit/read-events.ts';
import type { Timeline } from './audit/timeline.ts';
import { readSkippedEvents } from './commands/skip-parked-event.ts';
import { concerningTypes } from './domain/concerns.ts';
import { codec } from './eventstore/codec.ts';
import type {
  EventStore,
  LogReader,
  LogSubscriptions,
  Position,
  StoredEvent,
} from './eventstore/event-store.ts';
import type { PersonalData } from './eventstore/personal-data.ts';
import { catchUpOn } from './projections/catch-up.ts';
import { historyGroup, historyProjections } from './projections/history.ts';
import { startKeepingStreams } from './projections/keep-streams.ts';
import type { Led } from './projections/led.ts';
import { readNames, type ReadNames } from './projections/names.ts';
import { watchProgress } from './projections/progress.ts';
import { startProjector, type Projector } from './projections/projector.ts';
import { makeHistoryReader } from './projections/read-history.ts';
import { makeReadLane } from './projections/read-lane.ts';
import { makeStreamsByOwner } from './projections/streams-by-owner.ts';

export type AuditNeeds = {
  readonly databaseUrl: string;
  readonly store: EventStore & LogSubscriptions & LogReader;
  /** Opens what a person's key still opens; the rest reads `erased`. */
  readonly personal: Pick<PersonalData, 'open'>;
  readonly now: () => number;
  readonly logger: Logger;
};

/** What auditors ask, for the command line and for HTTP. */
export type Audit = {
  readonly timeline: Timeline;
  readonly names: ReadNames;
  readonly log: LogReader;
  readonly decode: Decode;
  readonly now: () => number;
  asOf(organizationId: string, moment: Moment, signal: AbortSignal): Promise<AsOf>;
  exposure(request: ExposureRequest, signal: AbortSignal): Promise<Exposure>;
  /** What concerns an organization, in the order of the log. @throws Interrupted */
  organizationEvents(
    organizationId: string,
    range: { readonly until: Position; readonly signal: AbortSignal },
  ): AsyncIterable<StoredEvent>;
  /** Keeps the references of timelines, on at least one instance. */
  startHistory(): Projector;
  /** Keeps the names of organizations' streams, on at least one instance. */
  startStreams(): Led;
  /** Waits, bounded, until timelines know all that is in the log by now; false when they do not yet. Never throws. */
  settled(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Timelines and whatever else is read from the log itself. Their statements keep nobody else's waiting. */
export const composeAudit = ({ databaseUrl, store, personal, now, logger }: AuditNeeds): Audit => {
  const lane = makeReadLane({ databaseUrl, logger });
  const history = makeHistoryReader(lane);
  const names = readNames(lane);
  const concerned = { log: store, history, streams: makeStreamsByOwner(lane) };
  const decode: Decode = async (stored) => {
    const [opened] = await personal.open([stored]);
    const { stream: streamId, created } = stored;
    return codec.decode({ ...stored, data: opened?.data, streamId, created: new Date(created) });
  };
  return {
    timeline: makeTimeline({ ...concerned, decode, names, now }),
    names,
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
    async exposure(request, signal) {
      const { organizationId, addonId, to: time } = request;
      const until = await store.head();
      const events = until
        ? organizationAccess(concerned, { organizationId, addonId, records: 'all' }, { until, time, signal })
        : none;
      return exposure({ events, decode }, request);
    },
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
      const progress = watchProgress({ databaseUrl, lane, logger, name: historyGroup });
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        await catchUpOn({ log: store, progress }, concerningTypes, signal);
        return true;
      } catch {
        return false;
      } finally {
        await progress.close();
      }
    },
    close: () => lane.close(),
  };
};

/** Of an empty log. */
const none: AsyncIterable<never> = (async function* () {})();
