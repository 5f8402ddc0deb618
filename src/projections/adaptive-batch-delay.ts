/** Fewer than this are no crowd. */
const crowd = 4;
/** While a crowd is new it is gathered for this part of the longest time only. */
const firstShare = 1 / 4;

/**
 * How long events are gathered after a transaction, by how many it had: under load one for every handful of events would
 * cost more than all that brought them. Twice as long as before while they come as densely as a new crowd does, up to
 * `mostMs`; events that come alone do not wait at all.
 */
export const makeAdaptiveBatchDelay = (mostMs: number): ((events: number) => number) => {
  const firstMs = mostMs * firstShare;
  let ms = 0;
  return (events) => {
    if (events < crowd) ms = 0;
    else if (events * firstMs >= crowd * ms) ms = Math.min(mostMs, Math.max(firstMs, 2 * ms));
    else ms /= 2;
    return ms;
  };
};
