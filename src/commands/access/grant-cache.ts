import { grantSubject } from '../../domain/fence/fence.ts';
import type { Grant } from '../../domain/access/grant.ts';
import type { Known } from '../kernel/handle.ts';

/**
 * Grants in their last known state, so that a refresh needs no read. An entry may be outdated: an append at its
 * revision confirms it, and a decision without an append is made again on the stream.
 */
export type GrantCache = {
  get(grantId: string): Known<Grant> | undefined;
  /** Keeps the newer of the cached and the given state. */
  remember(grantId: string, known: Known<Grant>): void;
};

/** The default; an entry takes about two kilobytes. */
export const usualCacheSize = 100_000;

/**
 * Keeps at most `capacity` grants, and evicts a random one for a new one. Clients that refresh at regular intervals
 * come one after the other: with a few more grants than fit, evicting the least recently used one would mean that none
 * is found any more.
 */
export const makeGrantCache = (capacity = usualCacheSize, random: () => number = Math.random): GrantCache => {
  const entries = new Map<string, { known: Known<Grant> }>();
  const slots: Slot[] = [];
  const forgetOne = () => {
    const slot = slots[Math.floor(random() * slots.length)];
    const last = slots.pop();
    if (!slot || !last) return;
    entries.delete(slot.grantId);
    if (last === slot) return;
    slots[slot.index] = last;
    last.index = slot.index;
  };
  return {
    get: (grantId) => entries.get(grantId)?.known,
    remember(grantId, { state, revision, position, fenced }) {
      // The stream also closes rows for revoked access tokens: readers of this cache do not need them.
      const own = fenced.filter(({ subject }) => subject === grantSubject(grantId));
      const known = { state, revision, position, fenced: own };
      const present = entries.get(grantId);
      if (present) {
        if (!isNewer(present.known, known)) present.known = known;
        return;
      }
      if (capacity <= 0) return;
      if (slots.length >= capacity) forgetOne();
      slots.push({ grantId, index: slots.length });
      entries.set(grantId, { known });
    },
  };
};

/** The index of a grant in the list from which one is evicted. */
type Slot = { readonly grantId: string; index: number };

const isNewer = (a: Known<Grant>, b: Known<Grant>): boolean =>
  a.revision !== 'no-stream' && (b.revision === 'no-stream' || a.revision > b.revision);
