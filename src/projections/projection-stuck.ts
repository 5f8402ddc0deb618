import type { EventReference } from '../eventstore/event-store.ts';

/** An event that nothing gets past: trying again would fail again, and it is not to be parked. */
export class ProjectionStuck extends Error {
  override readonly name = 'ProjectionStuck';
  readonly event: Omit<EventReference, 'position'>;
  constructor({ id, stream, revision, type }: EventReference, cause: unknown) {
    super(`The projections stopped at ${type} ${id} of ${stream}`, { cause });
    this.event = { id, stream, revision, type };
  }
}
