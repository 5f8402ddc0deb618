import type { Asked, AuditAnswered } from '../../tasks/audit-questions.ts';
import { timeOrNull } from '../../common/iso-time.ts';
import type { Deposit } from '../../projections/log-guard/head-deposits-table.ts';
import { answered, type AuditService } from './service.ts';

export const askDeposits = async (
  { logHeads }: AuditService,
  { limit = 50, after }: Asked<'deposits'>,
): Promise<AuditAnswered> => {
  const deposits = await logHeads.deposits.list(limit + 1, after ?? null);
  const heads = new Map<bigint, Deposit[]>();
  for (const deposit of deposits)
    heads.set(deposit.revision, [...(heads.get(deposit.revision) ?? []), deposit]);
  const shown = [...heads].slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(([revision, all]) => toItem(revision, all));
  return answered({ items, next: heads.size > limit && last ? String(last[0]) : null });
};

const toItem = (revision: bigint, all: readonly Deposit[]) => ({
  head_revision: String(revision),
  size: all[0]?.size,
  signed_at: timeOrNull(all[0]?.signedAt ?? null),
  deposits: all.map(({ target, depositedAt, attempts, lastError }) => ({
    target,
    state: depositedAt === null ? 'waiting' : 'deposited',
    deposited_at: timeOrNull(depositedAt),
    attempts,
    last_error: lastError,
  })),
});

export type ShownDeposits = {
  readonly items: readonly ReturnType<typeof toItem>[];
  readonly next: string | null;
};
