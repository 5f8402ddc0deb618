import { isOfRecord, recordCategories } from '../../domain/records/each-record.ts';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { addonStream, organizationStream } from '../../domain/streams.ts';
import { idsOf, isOfCategory } from '../../domain/kernel/stream-name.ts';
import type { KnownStream } from '../../projections/kernel/streams-by-owner.ts';
import { grantsAbout } from './grants-about.ts';
import { inOrder, type StreamToRead } from './in-order.ts';
import { merged } from './merged.ts';
import {
  isBeyond,
  streamsOf,
  unlessInterrupted,
  type EventLookupDependencies,
  type Range,
} from './dependencies.ts';
import { ownedStreams } from './owned-streams.ts';
import { questionsAbout } from './questions-about.ts';

const categories = ['activation', 'consent', ...recordCategories] as const;

/**
 * All events about an organization, in the order of the log: the content of an export (docs/audit-export.md). Accounts
 * are not included: they belong to people, not to an organization.
 * @param sparse how many positions of the log may lie between two records for the log to be read instead of streams
 */
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

/**
 * Where a record's stream begins at least once in so many positions (bytes of the log, in KurrentDB), reading that part
 * of the log costs less than reading the streams one by one. It still grows with the number of records.
 */
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
