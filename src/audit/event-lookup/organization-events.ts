import { recordCategories } from '../../domain/each-record.ts';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { addonStream, organizationStream } from '../../domain/streams.ts';
import { idsOf, isOfCategory } from '../../domain/stream-name.ts';
import { grantsAbout } from './grants-about.ts';
import { inOrder, type StreamToRead } from './in-order.ts';
import { merged } from './merged.ts';
import type { EventLookupDependencies, Range } from './dependencies.ts';
import { ownedStreams } from './owned-streams.ts';
import { questionsAbout } from './questions-about.ts';

const categories = ['activation', 'consent', ...recordCategories] as const;

/**
 * All events about an organization, in the order of the log: the content of an export (docs/audit-export.md). Accounts
 * are not included: they belong to people, not to an organization.
 */
export async function* organizationEvents(
  dependencies: EventLookupDependencies,
  organizationId: string,
  range: Range,
): AsyncGenerator<StoredEvent> {
  const owned = await ownedStreams(dependencies, organizationId, categories, range);
  const grants = await grantsAbout(dependencies, { organizationId, users: new Set() }, range);
  const addons = owned.flatMap(({ stream }) =>
    isOfCategory(stream, 'activation') ? [addonStream(idsOf(stream)[1])] : [],
  );
  const streams: readonly StreamToRead[] = [
    { stream: organizationStream(organizationId), first: null },
    ...owned,
    ...grants,
    ...addons.map((stream) => ({ stream, first: null })),
  ];
  yield* merged(
    await questionsAbout(dependencies, organizationId, range),
    inOrder(dependencies.log, streams, range),
  );
}
