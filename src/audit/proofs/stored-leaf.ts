import { canonicalJson, leafHash } from '#verify';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { positionText } from '../timeline/position-text.ts';

/** An event as in exports and in the log's tree: as stored, 64-bit numbers as texts, encrypted fields encrypted. */
export const leafEntry = (event: StoredEvent) => ({
  id: event.id,
  stream: event.stream,
  revision: String(event.revision),
  position: positionText(event.position),
  type: event.type,
  data: jsonOf(event.data),
  metadata: jsonOf(event.metadata),
  created: event.created,
});

/** For events of other writers, which need not be JSON; ours always are. */
const jsonOf = (part: unknown): unknown => {
  if (part === undefined) return null;
  return part instanceof Uint8Array ? { base64: Buffer.from(part).toString('base64') } : part;
};

export const leafOf = (event: StoredEvent): Buffer => leafHash(canonicalJson(leafEntry(event)));
