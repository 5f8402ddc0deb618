import type { Logger } from 'pino';
import { makeTimeline } from './audit/make-timeline.ts';
import type { Decode } from './audit/read-events.ts';
import type { Timeline } from './audit/timeline.ts';
import { readSkippedEvents } from './commands/skip-parked-event.ts';
import { concerningTypes } from './domain/concerns.ts';
import { codec } from './eventstore/codec.ts';
import type { EventStore, LogReader, LogSubscriptions } from './eventstore/event-store.ts';
import type { PersonalData } from './eventstore/personal-data.ts';
import { catchUpOn } from './projections/catch-up.ts';
import { historyGroup, historyProjections } from './projections/history.ts';
import { readNames, type ReadNames } from './projections/names.ts';
import { watchProgress } from './projections/progress.ts';
import { startProjector, type Projector } from './projections/projector.ts';
import { makeHistoryReader } from './projections/read-history.ts';
import { makeReadLane } from './projections/read-lane.ts';

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
  /** Keeps the references of timelines, on at least one instance. */
  startHistory(): Projector;
  /** Waits, bounded, until timelines know all that is in the log by now; false when they do not yet. Never throws. */
  settled(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Timelines and whatever else is read from the log itself. Their statements keep nobody else's waiting. */
export const composeAudit = ({ databaseUrl, store, personal, now, logger }: AuditNeeds): Audit => {
  const lane = makeReadLane({ databaseUrl, logger });
  const history = makeHistoryReader(lane);
  const names = readNames(lane);
  const decode: Decode = async (stored) => {
    const [opened] = await personal.open([stored]);
    const { stream: streamId, created } = stored;
    return codec.decode({ ...stored, data: opened?.data, streamId, created: new Date(created) });
  };
  return {
    timeline: makeTimeline({ log: store, decode, history, names, now }),
    names,
    log: store,
    decode,
    now,
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
