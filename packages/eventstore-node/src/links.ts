import type { Delivered } from './encode.ts';
import type { Heads } from './heads.ts';
import { firstVisible, lastOf, softDeletedAt } from './heads.ts';
import type { Log, Place } from './log.ts';
import type { Stored } from './record.ts';
import { baseOf, endOfTime } from './record.ts';

const linkType = '$>';
const target = /^(-1|\d{1,19})@([\s\S]+)$/;

export const unresolved = (event: Stored): Delivered => ({ event, link: null });

/**
 * Adds the targets of `$>` events, with one query for a whole page; if the target is gone, only the link is returned.
 */
export const resolveLinks = async (
  events: readonly Stored[],
  log: Log,
  heads: Heads,
): Promise<readonly Delivered[]> => {
  const places = events.map(parseLink);
  const wanted = places.filter((place) => place !== null);
  if (wanted.length === 0) return events.map(unresolved);
  await heads.load([...new Set(wanted.map(({ stream }) => baseOf(stream)))]);
  const visible = places.map((place) => place && visiblePlace(place, heads));
  const found = await log.at(visible.filter((place) => place !== null));
  const byPlace = new Map(found.map((event) => [`${event.revision}@${event.stream}`, event]));
  return events.map((event, index) => {
    if (!places[index]) return unresolved(event);
    const place = visible[index];
    return { event: (place && byPlace.get(`${place.revision}@${place.stream}`)) ?? null, link: event };
  });
};

const parseLink = (event: Stored): Place | null => {
  if (event.type !== linkType) return null;
  const found = target.exec(Buffer.from(event.data).toString('utf8'));
  const [, revision, stream] = found ?? [];
  if (revision === undefined || stream === undefined || stream.includes('\0')) return null;
  return { stream, revision: BigInt(revision) };
};

const visiblePlace = ({ stream, revision }: Place, heads: Heads): Place | null => {
  const head = heads.get(baseOf(stream));
  if (!head || head.tombstoned || softDeletedAt(stream, head)) return null;
  const wanted = revision === -1n ? lastOf(stream, head) : revision;
  return wanted < firstVisible(stream, head) || wanted > endOfTime ? null : { stream, revision: wanted };
};
