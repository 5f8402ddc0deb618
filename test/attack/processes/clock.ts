/** One clock for everything that is noted: no two moments are the same, and later is always more. Milliseconds. */
export type Clock = () => number;

export const makeClock = (): Clock => {
  let last = 0;
  return () => (last = Math.max(performance.now(), last + 0.000_1));
};
