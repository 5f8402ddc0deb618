import type { EventReference } from '../../eventstore/event-store.ts';

/** An event that a projection cannot get past: a retry would fail again, and it must not be parked. */
export class ProjectionStuck extends Error {
  override readonly name = 'ProjectionStuck';
  readonly event: Omit<EventReference, 'position'>;
  constructor({ id, stream, revision, type }: EventReference, cause: unknown) {
    super(`The projections stopped at ${type} ${id} of ${stream}`, { cause });
    this.event = { id, stream, revision, type };
  }
}
