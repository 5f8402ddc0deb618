import type pg from 'pg';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import type { Told } from './a-story.ts';

export const positionOfTold = (n: number) => {
  const position = 1_000_000_000_000n + 700n * BigInt(n);
  return { commit: position, prepare: position };
};

/** Events as a log gives them, stored turn by turn in so many months of 2026, or in the month that is said. */
export const monthsTold = (months = 1, after = 0) => {
  let told = after;
  return {
    recorded: ({ stream, event }: Told, revision: number, month = told % months): RecordedEvent => {
      told += 1;
      return {
        id: `00000000-0000-4000-8000-${String(told).padStart(12, '0')}`,
        stream,
        revision: BigInt(revision),
        position: positionOfTold(told),
        created: Date.UTC(2026, month, 1) + told * 1000,
        event: event as DomainEvent,
        metadata: { actor: 'addon:A1' },
      };
    },
  };
};

/** One batch, as a projector writes it. */
export const write = async (
  client: pg.Client,
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
): Promise<void> => {
  await client.query('begin');
  for (const projection of projections) {
    const batch = projection.begin();
    for (const event of events) if (projection.eventTypes.includes(event.event.type)) batch.apply(event);
    await batch.write(client);
  }
  await client.query('commit');
};
