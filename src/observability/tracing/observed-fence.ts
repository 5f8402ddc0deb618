import type { Fence } from '../../domain/fence/fence.ts';
import type { Operations } from './operations.ts';

/** The same fence; its reads and writes are timed. */
export const observedFence = (fence: Fence, { around }: Pick<Operations, 'around'>): Fence => ({
  write: (rows) => around('fence', 'write', () => fence.write(rows)),
  read: (subjects) => around('fence', 'read', () => fence.read(subjects)),
});
