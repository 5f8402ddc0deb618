import { statement } from '../../common/transaction.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** Up to where the log was compared with its heads: by a completed check, or by an interrupted check of the whole log. */
export type CheckKind = 'verified' | 'full';

export type CheckRow = {
  readonly size: number;
  readonly root: string;
  readonly position: Position;
  /** Events that documented retention had removed, by category. */
  readonly removed: Readonly<Record<string, number>>;
  /** Milliseconds since the Unix epoch. */
  readonly checkedAt: number;
};

type Stored = {
  readonly size: string;
  readonly root: string;
  readonly commit_position: string;
  readonly prepare_position: string;
  readonly removed: Record<string, number>;
  readonly checked_at: Date;
};

export type CheckTable = ReturnType<typeof makeCheckTable>;

/** Statements that may be sent twice. */
export const makeCheckTable = (reader: PipelinedReader) => ({
  async read(kind: CheckKind): Promise<CheckRow | null> {
    const [row] = await reader.query<Stored>(selectCheck, [kind]);
    if (!row) return null;
    const { size, root, commit_position, prepare_position, removed, checked_at } = row;
    const position = { commit: BigInt(commit_position), prepare: BigInt(prepare_position) };
    return { size: Number(size), root, position, removed, checkedAt: checked_at.getTime() };
  },
  async save(kind: CheckKind, { size, root, position, removed, checkedAt }: CheckRow): Promise<void> {
    const at = new Date(checkedAt);
    const row = [kind, size, root, position.commit, position.prepare, JSON.stringify(removed), at];
    await reader.query(upsertCheck, row);
  },
  forget: async (kind: CheckKind): Promise<void> => void (await reader.query(deleteCheck, [kind])),
});

const selectCheck = statement('log-check')`
  select size, root, commit_position, prepare_position, removed, checked_at from log_checks where kind = $1`;
const upsertCheck = statement('save-log-check')`
  insert into log_checks (kind, size, root, commit_position, prepare_position, removed, checked_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (kind) do update set size = excluded.size, root = excluded.root, commit_position = excluded.commit_position,
    prepare_position = excluded.prepare_position, removed = excluded.removed, checked_at = excluded.checked_at`;
const deleteCheck = { name: 'forget-log-check', text: 'delete from log_checks where kind = $1' };
