import type { Operation } from './operations.ts';
import { recordKey, type RecordRow } from './rows.ts';

/** Profiles whose user changes, and how often. The records of a profile move each time. */
export type Transfers = ReadonlyMap<string, { readonly profile: ProfileName; readonly times: number }>;

export type ProfileName = { readonly organizationId: string; readonly id: string };

/** @param before the rows of the touched profiles; any other profile does not exist */
export const transfersIn = (operations: readonly Operation[], before: readonly RecordRow[]): Transfers => {
  const users = new Map(before.map((row) => [recordKey(row), row.ofUser?.userId ?? null]));
  const transfers = new Map<string, { readonly profile: ProfileName; readonly times: number }>();
  for (const operation of operations) {
    if (operation.list !== 'profiles') continue;
    const key = recordKey(operation);
    const userId = operation.content?.owner ?? null;
    if (userId === (users.get(key) ?? null)) continue;
    users.set(key, userId);
    transfers.set(key, { profile: operation, times: (transfers.get(key)?.times ?? 0) + 1 });
  }
  return transfers;
};
