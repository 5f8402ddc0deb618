import {
  accountStream,
  activationStream,
  addonStream,
  consentStream,
  organizationStream,
} from '../../domain/streams.ts';
import { idsOf } from '../../domain/kernel/stream-name.ts';
import { profile } from '../../domain/records/profile.ts';
import { recordCategories } from '../../domain/records/each-record.ts';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { grantsAbout, type KnownIssue } from './grants-about.ts';
import { inOrder, type StreamToRead } from './in-order.ts';
import { merged } from './merged.ts';
import type { EventLookupDependencies, Range } from './dependencies.ts';
import { ownedStreams } from './owned-streams.ts';
import { recordEvents } from './record-events.ts';
import { eventsOfStreams } from './events-of-streams.ts';

export type AccessAsked = {
  readonly organizationId: string;
  /** Only what depends on this add-on. */
  readonly addonId?: string;
  /** All records, or only the profiles, which name the users whose own grants count. */
  readonly records: 'all' | 'profiles';
};

/** What access to an organization's records depends on, in the log's order; of records only ids and owners. */
export async function* organizationAccess(
  dependencies: EventLookupDependencies,
  { organizationId, addonId, records }: AccessAsked,
  range: Range,
): AsyncGenerator<StoredEvent> {
  const owned = await ownedStreams(dependencies, organizationId, ['activation'], range);
  const switches = owned.flatMap(({ stream }) =>
    addonId === undefined || stream === activationStream(organizationId, addonId) ? [stream] : [],
  );
  const activations = await eventsOfStreams(dependencies.log, switches, range);
  const categories = records === 'all' ? recordCategories : [profile.category];
  const recorded = await recordEvents(dependencies, { organizationId, categories }, range);
  const { users } = recorded;
  const grants = await grantsAbout(
    dependencies,
    { organizationId, users, ...(addonId !== undefined && { addonId }) },
    range,
  );
  const behind = new Set([
    organizationStream(organizationId),
    ...activations.map(({ stream }) => addonStream(idsOf(stream)[1])),
    ...grants.flatMap(streamsBehind),
  ]);
  const streams: readonly StreamToRead[] = [
    ...grants,
    ...[...behind].map((stream) => ({ stream, first: null })),
  ];
  yield* merged(recorded.events(), merged(activations, inOrder(dependencies.log, streams, range)));
}

/** The streams of a grant's fence subjects (`fenceSubjectsOf`), and of the account that an unused code depends on. */
const streamsBehind = ({ organizationId, addonId, userId }: KnownIssue): readonly string[] => [
  addonStream(addonId),
  accountStream(userId),
  ...(organizationId === null ? [consentStream(userId, addonId)] : []),
];
