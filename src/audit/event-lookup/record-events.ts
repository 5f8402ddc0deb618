import { recordChangeIn, type RecordChange } from '../../domain/records/record-change.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import { profile } from '../../domain/records/profile.ts';
import { categoryOf } from '../../domain/kernel/stream-name.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import type { OwnerChange } from '../../projections/kernel/streams-by-owner.ts';
import {
  isBeyond,
  streamsOf,
  unlessInterrupted,
  type EventLookupDependencies,
  type Range,
} from './dependencies.ts';

/** How many rows of the index are in memory at once. */
const pageSize = 20_000;

export type RecordEvents = {
  /** Everybody to whom a profile has ever belonged: their own grants opened something until it was removed. */
  readonly users: ReadonlySet<string>;
  /** What changes which records there are or whose they are, in the log's order, as far as `recordChangeIn` reads it. */
  events(): AsyncGenerator<StoredEvent>;
};

/** From the index, and for newer events from the log. */
export const recordEvents = async (
  { log, streams }: Pick<EventLookupDependencies, 'log' | 'streams'>,
  { organizationId, categories }: { readonly organizationId: string; readonly categories: readonly string[] },
  range: Range,
): Promise<RecordEvents> => {
  const { until, signal } = range;
  const known = await streams.checkpoint();
  const newer: StoredEvent[] = [];
  if (known === null || comparePositions(known, until) < 0) {
    const only = streamsOf(organizationId, categories);
    for await (const event of log.readLog({ after: known, until, only, signal })) {
      if (isBeyond(event, range)) break;
      newer.push(onlyChange(event));
    }
  }
  unlessInterrupted(range);
  const asked = { position: until, time: range.time ?? Infinity };
  const users = new Set(await streams.everyOwner(organizationId, profile.category, asked));
  for (const event of newer) {
    const change = recordChangeIn(event);
    if (change?.list === 'profiles' && change.owner !== null) users.add(change.owner);
  }
  return {
    users,
    async *events() {
      let after: Position | null = null;
      for (;;) {
        unlessInterrupted(range);
        const page: readonly OwnerChange[] = await streams.ownerChanges(
          organizationId,
          categories,
          after,
          pageSize,
        );
        for (const change of page) {
          if (isBeyond(change, range)) return;
          // The index may have moved on since.
          if (known !== null && comparePositions(change.position, known) <= 0) yield asEvent(change);
        }
        const last = page.at(-1);
        if (!last || page.length < pageSize) break;
        after = last.position;
      }
      yield* newer;
    },
  };
};

const asEvent = ({ stream, revision, position, created, ...change }: OwnerChange): StoredEvent => ({
  id: '',
  stream,
  revision,
  position,
  created,
  ...eventOfChange(categoryOf(stream), change),
  metadata: null,
});

/** A record's event without the fields that only the lists show. */
const onlyChange = (event: StoredEvent): StoredEvent => {
  const change = recordChangeIn(event);
  return { ...event, ...(change && eventOfChange(categoryOf(event.stream), change)), metadata: null };
};

const eventOfChange = (
  category: string,
  { id, present, owner }: Omit<RecordChange, 'list'>,
): Pick<StoredEvent, 'type' | 'data'> => {
  const resource = recordResources.find((one) => one.category === category);
  if (!resource) throw new Error(`no records have streams of the category ${category}`);
  const { name, owner: named } = resource;
  return present
    ? { type: `${name}Recorded`, data: { id, [named.field]: owner } }
    : { type: `${name}Removed`, data: { id } };
};
