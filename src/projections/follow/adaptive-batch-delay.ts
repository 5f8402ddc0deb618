/** Batches with fewer events than this cause no delay. */
const smallBatch = 4;
/** The first delay, as a part of the longest one. */
const firstShare = 1 / 4;

/**
 * How long to collect events after a transaction, depending on how many it had: under load, one transaction for every
 * few events would cost more than the commands that wrote them. The delay doubles, up to `mostMs`, while events keep
 * arriving at the rate that started it; single events do not wait at all.
 */
export const makeAdaptiveBatchDelay = (mostMs: number): ((events: number) => number) => {
  const firstMs = mostMs * firstShare;
  let ms = 0;
  return (events) => {
    if (events < smallBatch) ms = 0;
    else if (events * firstMs >= smallBatch * ms) ms = Math.min(mostMs, Math.max(firstMs, 2 * ms));
    else ms /= 2;
    return ms;
  };
};
