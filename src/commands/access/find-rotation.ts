import type { Instant } from '../../domain/kernel/decision.ts';
import type { LiveGrant } from '../../domain/access/grant.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';
import type { Known } from '../kernel/handle.ts';

/** Events read at once. */
const pageLength = 16;

/**
 * When a pair of a grant was issued; null when it never was. Each rotation is one event, so the search starts as many
 * events before the newest as rotations were made since. Where other events lie between them, it continues further
 * back.
 */
export const issuedAt = async (
  store: Pick<EventStore, 'readBack'>,
  stream: StreamName,
  { revision, state }: Known<LiveGrant>,
  rotation: number,
): Promise<Instant | null> => {
  const { current, previous, redeemedAt } = state;
  if (rotation === 0) return redeemedAt;
  const pair = [current, previous].find((known) => known?.rotation === rotation);
  if (pair) return pair.at;
  if (rotation > current.rotation || revision === 'no-stream') return null;
  let from: bigint | null = revision - BigInt(current.rotation - rotation);
  while (from !== null) {
    const { events, further } = await store.readBack(stream, from, pageLength);
    const pairs = events.flatMap(rotationIn);
    const found = pairs.find((each) => each.rotation === rotation);
    if (found) return found.at;
    const [oldest] = pairs;
    if (oldest && oldest.rotation < rotation) return null;
    const guess = oldest && oldest.revision - BigInt(oldest.rotation - rotation);
    from = further !== null && guess !== undefined && guess < further ? guess : further;
  }
  return null;
};

const rotationIn = ({ event, revision }: RecordedEvent) =>
  event.type === 'TokensRefreshed' ? [{ revision, rotation: event.data.rotation, at: event.data.at }] : [];
