import { accountDecider } from '../domain/account.ts';
import { accountSubject, type FenceRow } from '../domain/fence.ts';
import type { GrantTerms } from '../domain/grant.ts';
import { accountStream } from '../domain/streams.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import { load } from './handle.ts';

/**
 * Whether whoever approved a code was disabled since, though enabled again by now (TC-15): an organization's code does not
 * hang on the account's epoch. The log is asked only about accounts that ever were disabled.
 */
export const disabledSince = async (
  store: EventStore,
  { userId, subject, at }: GrantTerms,
  rows: readonly FenceRow[],
): Promise<boolean> => {
  if (subject.kind === 'user') return false; // of another epoch since
  const account = rows.find((row) => row.subject === accountSubject(userId));
  if (!account || account.epoch === 0) return false;
  const { state } = await load(store, accountStream(userId), accountDecider);
  return state.status !== 'absent' && state.disabledAt !== null && state.disabledAt >= at;
};
