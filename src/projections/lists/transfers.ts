import type { Operation } from './operations.ts';
import { recordKey, type RecordRow } from './rows.ts';

/** Profiles whose user changes, with how often. What hangs on one moves each time. */
export type Transfers = ReadonlyMap<string, { readonly profile: ProfileName; readonly times: number }>;

export type ProfileName = { readonly organizationId: string; readonly id: string };

/** @param before the rows of the profiles that are touched; one that is not among them is not there */
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
