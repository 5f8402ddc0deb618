import { jsonEvent, NO_STREAM, StreamNotFoundError, WrongExpectedVersionError } from '@eventstore/db-client';

/**
 * Places an order once, however often it is sent.
 * @param {import('@eventstore/db-client').EventStoreDBClient} log
 * @param {string} id
 * @param {number} cents
 * @returns {Promise<'placed' | 'placed before'>}
 */
export const placeOrder = async (log, id, cents) => {
  try {
    const placed = jsonEvent({ type: 'OrderPlaced', data: { cents } });
    await log.appendToStream(`order-${id}`, placed, { expectedRevision: NO_STREAM });
    return 'placed';
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) return 'placed before';
    throw error;
  }
};

/**
 * @param {import('@eventstore/db-client').EventStoreDBClient} log
 * @param {string} id
 * @returns {Promise<string[]>} what happened to an order, oldest first; nothing of one that is unknown
 */
export const historyOf = async (log, id) => {
  const types = [];
  try {
    for await (const { event } of log.readStream(`order-${id}`)) if (event) types.push(event.type);
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return types;
};
