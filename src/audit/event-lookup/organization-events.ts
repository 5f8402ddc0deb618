import { idsOf, isOfCategory } from '../../domain/kernel/stream-name.ts';
import { organizationAskedIn } from '../../domain/log/audit-query.ts';
import { isOfRecord, recordCategories } from '../../domain/records/each-record.ts';
import { addonStream, organizationStream } from '../../domain/streams.ts';
import { type StoredEvent, comparePositions } from '../../eventstore/event-store.ts';
import type { KnownStream } from '../../projections/kernel/streams-by-owner.ts';
import { eventsAt } from '../read-events.ts';
import {
  isBeyond,
  streamsOf,
  unlessInterrupted,
  type EventLookupDependencies,
  type Range,
} from './dependencies.ts';
import { grantsAbout } from './grants-about.ts';
import { inOrder, type StreamToRead } from './in-order.ts';
import { merged } from './merged.ts';
import { ownedStreams } from './owned-streams.ts';

const categories = ['activation', 'consent', ...recordCategories] as const;

/** All events about an organization, in the log's order (docs/reference/audit-export.md); no accounts, which belong to people. `sparse`: see `sparseFrom`. */
export async function* organizationEvents(
  dependencies: EventLookupDependencies,
  organizationId: string,
  range: Range,
  sparse = sparseFrom,
): AsyncGenerator<StoredEvent> {
  const owned = await ownedStreams(dependencies, organizationId, categories, range);
  const records = owned.filter(({ stream }) => isOfRecord(stream));
  const scans = isDense(records, range, sparse);
  const grants = await grantsAbout(dependencies, { organizationId, users: new Set() }, range);
  const addons = owned.flatMap(({ stream }) =>
    isOfCategory(stream, 'activation') ? [addonStream(idsOf(stream)[1])] : [],
  );
  const streams: readonly StreamToRead[] = [
    { stream: organizationStream(organizationId), first: null },
    ...(scans ? owned.filter(({ stream }) => !isOfRecord(stream)) : owned),
    ...grants,
    ...addons.map((stream) => ({ stream, first: null })),
  ];
  const others = inOrder(dependencies.log, streams, range);
  yield* merged(
    await questionsAbout(dependencies, organizationId, range),
    scans ? merged(scanned(dependencies.log, organizationId, records, range), others) : others,
  );
}

/** Where a record's stream begins at least once in so many positions, reading that part of the log costs less than reading each stream. */
const sparseFrom = 16_384;

const isDense = ([first, ...others]: readonly KnownStream[], { until }: Range, sparse: number): boolean =>
  first !== undefined && until.commit - first.first.commit < BigInt(sparse * (others.length + 1));

/** All events of an organization's records, by reading the log from where the first stream begins. */
async function* scanned(
  log: EventLookupDependencies['log'],
  organizationId: string,
  [first]: readonly KnownStream[],
  range: Range,
): AsyncGenerator<StoredEvent> {
  if (!first) return;
  // The log is read from an event on, and without it: other positions are not safe to begin at.
  yield* await log.readStored(first.stream, 0n, 1);
  const only = streamsOf(organizationId, recordCategories);
  const { until, signal } = range;
  for await (const event of log.readLog({ after: first.first, until, only, signal })) {
    if (isBeyond(event, range)) break;
    yield event;
  }
  unlessInterrupted(range);
}

/** Audit queries about an organization, in the order of the log, all in memory; each is in the stream of the user who asked. */
const questionsAbout = async (
  { log, streams }: Pick<EventLookupDependencies, 'log' | 'streams'>,
  organizationId: string,
  range: Range,
): Promise<readonly StoredEvent[]> => {
  const { until, signal } = range;
  const after = await streams.checkpoint();
  const known = await streams.questions(organizationId);
  const seen = known.filter(({ position }) => after && comparePositions(position, after) <= 0);
  const found = (await eventsAt(log, seen)).filter((event) => !isBeyond(event, range));
  if (!after || comparePositions(after, until) < 0)
    for await (const event of log.readLog({ after, until, only: { eventTypes: ['AuditQueried'] }, signal })) {
      if (isBeyond(event, range)) break;
      if (organizationAskedIn(event.data) === organizationId) found.push(event);
    }
  unlessInterrupted(range);
  return found;
};
