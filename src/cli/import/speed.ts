const windowMs = 10_000;
/** In milliseconds: the minimum distance between samples. */
const apartMs = 500;

type Sample = { readonly at: number; readonly lines: number; readonly bytes: number };

/** The speed over the last ten seconds only, because records that are already known go faster than new ones. */
export type Speed = { readonly linesPerSecond: number; readonly bytesPerSecond: number };

/** @param start a first sample for comparison: without it the first result would be 0 */
export const makeSpeed = (start: Sample) => {
  let samples: readonly Sample[] = [start];
  return (now: Sample): Speed => {
    const recent = samples.filter(({ at }) => at > now.at - windowMs);
    const [oldest = now] = recent.length > 0 ? recent : samples.slice(-1);
    const newest = samples.at(-1);
    samples = newest === undefined || now.at - newest.at >= apartMs ? [...recent, now] : recent;
    const seconds = (now.at - oldest.at) / 1000;
    if (seconds <= 0) return { linesPerSecond: 0, bytesPerSecond: 0 };
    return {
      linesPerSecond: (now.lines - oldest.lines) / seconds,
      bytesPerSecond: (now.bytes - oldest.bytes) / seconds,
    };
  };
};
