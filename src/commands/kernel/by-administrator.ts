import type { EventMetadata } from '../../eventstore/event-store.ts';

/** Who acted, and with which administrator token, if one was used. */
export const byAdministrator = (
  by: string,
  tokenId: string | null | undefined,
): { readonly metadata: EventMetadata } => ({
  metadata: { actor: by, ...(tokenId && { tokenId }) },
});
