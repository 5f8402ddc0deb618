import { organizationStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';

/** Reads the log: right after its creation an organization is in no read model yet. */
export const organizationExists = async (
  store: Pick<EventStore, 'read'>,
  organizationId: string,
): Promise<boolean> => (await store.read(organizationStream(organizationId))).revision !== 'no-stream';
