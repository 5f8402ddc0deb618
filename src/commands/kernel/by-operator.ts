import type { EventMetadata } from '../../eventstore/event-store.ts';

/** Done on the command line, with the reason if one was given. */
export const byOperator = (reason?: string): { readonly metadata: EventMetadata } => ({
  metadata: { actor: 'operator', ...(reason !== undefined && { reason }) },
});
