import { grantSubject } from '../domain/fence.ts';
import type { Grant } from '../domain/grant.ts';
import type { Known } from './handle.ts';
import type { CommandNeeds } from './needs.ts';

/**
 * Grants as they were folded last, so that a refresh needs no read. Nothing here is ever the truth: an append at its
 * revision confirms it, and a decision without an append is taken again on the stream.
 */
export type GrantCache = {
  get(grantId: string): Known<Grant> | undefined;
  /** Keeps the newer of what is there and what is given. */
  remember(grantId: string, known: Known<Grant>): void;
};

export type GrantNeeds = CommandNeeds & { readonly cache: GrantCache };

/** Forgets the least recently used; an entry is about a kilobyte. */
export const makeGrantCache = (capacity = 20_000): GrantCache => {
  const entries = new Map<string, Known<Grant>>();
  const putLast = (grantId: string, known: Known<Grant>) => {
    entries.delete(grantId);
    entries.set(grantId, known);
  };
  return {
    get(grantId) {
      const known = entries.get(grantId);
      if (known) putLast(grantId, known);
      return known;
    },
    remember(grantId, { state, revision, position, fenced }) {
      // Of each access token that was given back there is a row, too: those are asked for by nobody who looks here.
      const own = fenced.filter(({ subject }) => subject === grantSubject(grantId));
      const known = { state, revision, position, fenced: own };
      const present = entries.get(grantId);
      putLast(grantId, present && isNewer(present, known) ? present : known);
      const [oldest] = entries.keys();
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest);
    },
  };
};

const isNewer = (a: Known<Grant>, b: Known<Grant>): boolean =>
  a.revision !== 'no-stream' && (b.revision === 'no-stream' || a.revision > b.revision);
