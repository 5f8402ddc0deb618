import { breakGlass } from '../../domain/kernel/actor.ts';
import type { EventMetadata } from '../../eventstore/event-store.ts';

/** Done on the command line, with the reason if one was given. */
export const byOperator = (reason?: string): { readonly metadata: EventMetadata } => ({
  metadata: { actor: breakGlass, ...(reason !== undefined && { reason }) },
});
