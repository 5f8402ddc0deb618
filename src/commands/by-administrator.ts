import type { EventMetadata } from '../eventstore/event-store.ts';

/** Who did it, and by which administrator token, if it was a program of theirs. */
export const byAdministrator = (
  by: string,
  tokenId: string | null | undefined,
): { readonly metadata: EventMetadata } => ({
  metadata: { actor: by, ...(tokenId && { tokenId }) },
});
