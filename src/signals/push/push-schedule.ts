import type { Wanted } from './push-table.ts';

export type PushLimits = {
  /** Pushes on their way at once, of all streams. */
  readonly atOnce: number;
  /** Of these, how many may be of streams whose last push failed: silent receivers leave room for the others. */
  readonly failingAtOnce: number;
  /** One, once half of all are on their way: so a crowd of slow receivers does not take all with a few SETs each. */
  readonly ofOneStream: number;
  /** How long a SET that was not pushed at all waits before it is tried again, in milliseconds. */
  readonly againMs: Readonly<Record<NotNow, number>>;
};

/** The worker that follows streams is rarely more than a moment behind. */
export type NotNow = 'not-signed' | 'not-current';

export const pushLimits: PushLimits = {
  atOnce: 512,
  failingAtOnce: 256,
  ofOneStream: 4,
  againMs: { 'not-signed': 5_000, 'not-current': 500 },
};

/** @param alreadyFailing streams whose pushes have failed before */
export const makePushSchedule = (
  limits: Omit<PushLimits, 'againMs'> = pushLimits,
  alreadyFailing: readonly string[] = [],
) => {
  const marked = new Set<string>();
  const running = new Map<string, Set<string>>();
  const failing = new Set(alreadyFailing);
  let [all, ofFailing] = [0, 0];

  /** A receiver that does not work gets one push at a time. */
  const shareOf = (streamId: string, isCrowded: boolean): number => {
    const share = isCrowded || failing.has(streamId) ? 1 : limits.ofOneStream;
    return share - (running.get(streamId)?.size ?? 0);
  };
  return {
    /** Something of the stream may be due. */
    mark: (streamId: string) => void marked.add(streamId),
    /** Streams that are marked and may push now; they are no longer marked. Their SETs have to begin before the next call. */
    take(most: number) {
      const taken: Wanted[] = [];
      let [left, leftOfFailing] = [limits.atOnce - all, limits.failingAtOnce - ofFailing];
      for (const streamId of marked) {
        if (left <= 0 || taken.length >= most) break;
        const isFailing = failing.has(streamId);
        const isCrowded = left < limits.atOnce / 2;
        const share = Math.min(shareOf(streamId, isCrowded), left, isFailing ? leftOfFailing : Infinity);
        if (share <= 0) continue;
        marked.delete(streamId);
        left -= share;
        if (isFailing) leftOfFailing -= share;
        // Those on their way are found again, and are left out when they begin.
        taken.push({ streamId, most: share + (running.get(streamId)?.size ?? 0) });
      }
      return taken;
    },
    /** False when this SET is on its way already, or as many as may be: then the stream is marked again when one ends. */
    begin(streamId: string, jti: string) {
      const ofStream = running.get(streamId) ?? new Set();
      if (ofStream.has(jti) || ofStream.size >= limits.ofOneStream) return false;
      running.set(streamId, ofStream.add(jti));
      all += 1;
      if (failing.has(streamId)) ofFailing += 1;
      return true;
    },
    /** The stream is marked again: what follows the SET may be due. */
    end(streamId: string, jti: string, hasFailed: boolean) {
      const ofStream = running.get(streamId);
      if (!ofStream?.delete(jti)) return;
      if (failing.has(streamId)) ofFailing -= 1 + ofStream.size;
      if (hasFailed) failing.add(streamId);
      else failing.delete(streamId);
      if (failing.has(streamId)) ofFailing += ofStream.size;
      if (ofStream.size === 0) running.delete(streamId);
      all -= 1;
      marked.add(streamId);
    },
    underWay: () => all,
  };
};
