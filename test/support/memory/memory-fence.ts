import type { Fence, FenceRow, FenceSubject } from '../../../src/domain/fence/fence.ts';

export type MemoryFenceHooks = {
  readonly beforeRead?: (subjects: readonly FenceSubject[]) => Promise<void> | void;
  readonly beforeWrite?: (rows: readonly FenceRow[]) => Promise<void> | void;
};

/** The fence in memory, monotone like the table: a row with a lower or equal revision changes nothing. */
export function memoryFence(hooks: MemoryFenceHooks = {}): Fence & {
  readonly rows: () => ReadonlyMap<FenceSubject, FenceRow>;
  readonly reads: () => number;
  /** Removes a subject, like retention. */
  readonly remove: (subject: FenceSubject) => void;
} {
  const kept = new Map<FenceSubject, FenceRow>();
  let reads = 0;
  return {
    async write(rows) {
      await hooks.beforeWrite?.(rows);
      await Promise.resolve();
      for (const row of rows) {
        const present = kept.get(row.subject);
        if (!present || row.revision > present.revision) kept.set(row.subject, row);
      }
    },
    async read(subjects) {
      reads += 1;
      await hooks.beforeRead?.(subjects);
      await Promise.resolve();
      return subjects.map((subject) => kept.get(subject)).filter((row) => row !== undefined);
    },
    rows: () => kept,
    reads: () => reads,
    remove: (subject) => void kept.delete(subject),
  };
}
