import type { Filter } from './filter.ts';

export type Checkpoint = { readonly commit: bigint; readonly prepare: bigint };

/**
 * When a filtered subscription says how far it has looked, counted in considered events. While it catches up the
 * log is read in logical pages of at most 32 matches or one window; live, every event counts by itself.
 */
export type Checkpoints = {
  /** A checkpoint to send after this event, which matched or not. */
  considered(position: bigint, matched: boolean): Checkpoint | undefined;
  /** The one that ends the catch-up; events count singly from now on. */
  caughtUp(): Checkpoint | undefined;
};

const pageMatches = 32;

/** Where the record after this one may begin. */
const next = (position: bigint): bigint => position + 1n;

/** `subscribedFrom` is null when that was the start or the end: neither is a place to resume from. */
export const makeCheckpoints = (filter: Filter, subscribedFrom: bigint | null): Checkpoints => {
  let counted = 0;
  let live = false;
  let page = {
    start: subscribedFrom === null ? 0n : next(subscribedFrom),
    considered: 0,
    matches: 0,
    lastMatch: null as bigint | null,
  };
  let lastSent = subscribedFrom;
  let lastCheckpoint: bigint | null = null;

  const emit = (commit: bigint, prepare: bigint): Checkpoint => {
    counted = 0;
    lastCheckpoint = commit;
    return { commit, prepare };
  };

  const closePage = (position: bigint): Checkpoint | undefined => {
    const { start, lastMatch } = page;
    page = { start: next(position), considered: 0, matches: 0, lastMatch: null };
    if (counted < filter.interval) return undefined;
    // Without a match the real server falls back to where the page began, with a prepare position of 0: whoever
    // resumes there gets the first event of that page.
    return lastMatch === null ? emit(start, 0n) : emit(lastMatch, lastMatch);
  };

  return {
    considered: (position, matched) => {
      counted += 1;
      if (matched) lastSent = position;
      if (live) return counted >= filter.interval ? emit(position, position) : undefined;
      page.considered += 1;
      if (matched) page = { ...page, matches: page.matches + 1, lastMatch: position };
      const full = page.matches >= pageMatches || page.considered >= filter.window;
      return full ? closePage(position) : undefined;
    },
    caughtUp: () => {
      live = true;
      if (lastSent === null || (lastCheckpoint !== null && lastSent <= lastCheckpoint)) return undefined;
      lastCheckpoint = lastSent; // sent without starting the count anew
      return { commit: lastSent, prepare: lastSent };
    },
  };
};
