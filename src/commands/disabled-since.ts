import { accountSubject, type FenceRow } from '../domain/fence.ts';
import type { GrantTerms } from '../domain/grant.ts';
import { grantStream } from '../domain/streams.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import { isAfter, loadAccount } from './load-account.ts';

/**
 * Whether whoever approved a code was disabled since, though enabled again by now (TC-15): an organization's code does not
 * hang on the account's epoch. The log is asked only about accounts that ever were disabled; what came first is its order.
 */
export const disabledSince = async (
  store: EventStore,
  { grantId, userId, subject }: GrantTerms,
  rows: readonly FenceRow[],
): Promise<boolean> => {
  if (subject.kind === 'user') return false; // of another epoch since
  const account = rows.find((row) => row.subject === accountSubject(userId));
  if (!account || account.epoch === 0) return false;
  const [[issued], { disabled }] = await Promise.all([
    store.readEnd(grantStream(grantId), 'first', 1),
    loadAccount(store, userId),
  ]);
  return issued !== undefined && !isAfter(issued.position, disabled);
};
