import type { EventMetadata } from '../eventstore/event-store.ts';

/** Done on the command line, with the reason that was given for it, if any. */
export const byOperator = (reason?: string): { readonly metadata: EventMetadata } => ({
  metadata: { actor: 'operator', ...(reason !== undefined && { reason }) },
});
