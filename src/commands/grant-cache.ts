import { grantSubject } from '../domain/fence.ts';
import type { Grant } from '../domain/grant.ts';
import type { Known } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

/**
 * Grants as they were folded last, so that a refresh needs no read. Nothing here is ever the truth: an append at its
 * revision confirms it, and a decision without an append is taken again on the stream.
 */
export type GrantCache = {
  get(grantId: string): Known<Grant> | undefined;
  /** Keeps the newer of what is there and what is given. */
  remember(grantId: string, known: Known<Grant>): void;
};

export type GrantDependencies = CommandDependencies & { readonly cache: GrantCache };

/** By default; an entry is about two kilobytes. */
export const usualCacheSize = 100_000;

/**
 * Keeps at most `capacity` grants, and forgets any of them for a new one. Connections that refresh in a steady rhythm come round one
 * after the other: whoever forgot the least recently used one would, with a few more grants than fit, know none of them any more.
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
      // Of each access token that was given back there is a row, too: those are asked for by nobody who looks here.
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

/** Where a grant is among those that one is chosen from. */
type Slot = { readonly grantId: string; index: number };

const isNewer = (a: Known<Grant>, b: Known<Grant>): boolean =>
  a.revision !== 'no-stream' && (b.revision === 'no-stream' || a.revision > b.revision);
