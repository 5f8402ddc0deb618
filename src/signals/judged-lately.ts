import { LRUCache } from 'lru-cache';
import { growing } from '../common/growing.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { PolledStream } from './poll.ts';

/** What a token may poll. */
export type Polling = PolledStream & { readonly streamId: string };

type Token = { readonly tokenId: string; readonly expiresAt: Instant };

/** What the log said lately about polling tokens, without a change heard since: only for whether a poll may wait (ADR 66). */
export type JudgedLately = {
  /** Called when changes are heard from now on: nothing that was read before is kept. */
  readonly hear: () => void;
  readonly of: (tokenId: string, streamId: string) => Polling | undefined;
  /** Called before the log is read. What it returns keeps what was read, unless a change was heard meanwhile. */
  readonly judging: () => (token: Token, stream: Polling) => void;
  /** @param id of a token, or of an add-on. @returns the id of the add-on */
  readonly forget: (id: string) => string;
};

/** In milliseconds: what was not heard of, because the log was away, holds for so long. */
const kept = 300_000;
const most = 20_000;

export const makeJudgedLately = (now: () => Instant): JudgedLately => {
  const known = new LRUCache<string, Polling & Token>({ ...growing(most), ttl: kept });
  let heard: number | null = null;
  return {
    hear: () => void (heard = 0),
    of(tokenId, streamId) {
      const found = known.get(tokenId);
      return found?.streamId === streamId && now() < found.expiresAt ? found : undefined;
    },
    judging() {
      const before = heard;
      return ({ tokenId, expiresAt }, { streamId, addonId, status }) => {
        if (heard !== null && heard === before)
          known.set(tokenId, { tokenId, expiresAt, streamId, addonId, status });
      };
    },
    forget(id) {
      if (heard !== null) heard += 1;
      const addonId = known.get(id)?.addonId;
      if (addonId !== undefined) {
        known.delete(id);
        return addonId;
      }
      for (const [tokenId, token] of known.entries()) if (token.addonId === id) known.delete(tokenId);
      return id;
    },
  };
};
