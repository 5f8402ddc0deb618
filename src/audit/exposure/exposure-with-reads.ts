import type { HourOfReads, ListReads } from '../../projections/read-counts/read-reads.ts';
import type { EventLookupDependencies } from '../event-lookup/dependencies.ts';
import { organizationAccess } from '../event-lookup/organization-access.ts';
import type { LogReader } from '../../eventstore/event-store.ts';
import { eventsAt, type Decode } from '../read-events.ts';
import { exposure, type Edge, type Exposure, type ExposureRequest, type Passed } from './exposure.ts';

/** With the reads of the grants that were in use. */
export type ExposureWithReads = Exposure & {
  readonly reads: readonly HourOfReads[];
  readonly readsInAll: number;
  /** Pages of all add-ons together whose grants are not known. */
  readonly readsUnattributed: number;
  /** Milliseconds since the Unix epoch: earlier reads are not known. */
  readonly readsCountedSince: number;
};

export type AskExposure = (
  request: ExposureRequest,
  signal: AbortSignal,
  passed?: Passed,
) => Promise<ExposureWithReads>;

type Dependencies = {
  readonly lookup: EventLookupDependencies;
  readonly decode: Decode;
  readonly reads: ListReads;
};

/** What could be read, from the log, and what was read, from the counts. @throws Interrupted */
export const makeExposure =
  ({ lookup, decode, reads }: Dependencies): AskExposure =>
  async (request, signal, passed) => {
    const { organizationId, addonId, to: time } = request;
    const until = await lookup.log.head();
    const events = until
      ? organizationAccess(lookup, { organizationId, addonId, records: 'all' }, { until, time, signal })
      : none;
    const found = await withEvents(lookup.log, await exposure({ events, decode, passed }, request));
    const read = await reads.readsOf(found.grantIds, request);
    return {
      ...found,
      reads: read.reads,
      readsInAll: read.inAll,
      readsUnattributed: await reads.unattributedPages(request),
      readsCountedSince: await reads.countedSince(),
    };
  };

/** The index of records knows no ids of events: those at which something began or ended are read from the log. */
const withEvents = async (log: LogReader, found: Exposure): Promise<Exposure> => {
  const edges = [
    ...found.intervals.flatMap(({ opened, closed }) => [opened, closed]),
    ...found.tokens.map(({ closed }) => closed),
  ];
  const places = edges.flatMap((edge) => (edge?.event?.id === '' ? [edge.event] : []));
  const read = new Map((await eventsAt(log, places)).map((event) => [event.position.commit, event]));
  const complete = <E extends Edge | null>(edge: E): E =>
    edge?.event ? { ...edge, event: read.get(edge.event.position.commit) ?? edge.event } : edge;
  return {
    ...found,
    intervals: found.intervals.map((interval) => ({
      ...interval,
      opened: complete(interval.opened),
      closed: complete(interval.closed),
    })),
    tokens: found.tokens.map((token) => ({ ...token, closed: complete(token.closed) })),
  };
};

/** For an empty log. */
const none: AsyncIterable<never> = (async function* () {})();
