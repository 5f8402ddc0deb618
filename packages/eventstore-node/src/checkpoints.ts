import type { Filter } from './filter.ts';

export type Checkpoint = { readonly commit: bigint; readonly prepare: bigint };

/**
 * Decides when a filtered subscription reports its progress, counted in considered events. During catch-up the log is
 * read in logical pages of at most 32 matches or one window; live, every event counts separately.
 */
export type Checkpoints = {
  /** The checkpoint to send after this event, if any; the event may have matched or not. */
  considered(position: bigint, matched: boolean): Checkpoint | undefined;
  /** The checkpoint at the end of the catch-up; from now on events count separately. */
  caughtUp(): Checkpoint | undefined;
};

const pageMatches = 32;

/** The earliest possible position of the next record. */
const next = (position: bigint): bigint => position + 1n;

/** `subscribedFrom` is null for the start or the end, because a client cannot resume from either. */
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
    // Without a match the real server reports the beginning of the page, with a prepare position of 0: a client that
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
      lastCheckpoint = lastSent; // sent without resetting the count
      return { commit: lastSent, prepare: lastSent };
    },
  };
};
