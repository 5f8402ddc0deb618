import { accountSubject, type FenceRow } from '../../domain/fence/fence.ts';
import type { GrantTerms } from '../../domain/access/grant.ts';
import { grantStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import { isAfter, loadAccount } from '../people/accounts/load-account.ts';

/**
 * Whether the user who approved a code was disabled since, even if enabled again by now (TC-15): an organization's code
 * does not depend on the account's epoch. Reads the log only for accounts that were ever disabled; its order decides
 * which came first.
 */
export const disabledSince = async (
  store: EventStore,
  { grantId, userId, subject }: GrantTerms,
  rows: readonly FenceRow[],
): Promise<boolean> => {
  if (subject.kind === 'user') return false; // a user's own grant depends on the account's epoch
  const account = rows.find((row) => row.subject === accountSubject(userId));
  if (!account || account.epoch === 0) return false;
  const [[issued], { disabled }] = await Promise.all([
    store.readEnd(grantStream(grantId), 'first', 1),
    loadAccount(store, userId),
  ]);
  return issued !== undefined && !isAfter(issued.position, disabled);
};
