import type { Fence, FenceSubject } from '../domain/fence.ts';
import type { DomainEvent } from '../domain/events.ts';
import type { Handled } from './handle.ts';

/**
 * Brings the fence to what a stream says about a subject: the row has the revision of the event that closed or opened
 * it. A command that appended nothing reads the fence first, and writes only if an earlier call crashed between its
 * append and its write to the fence (TR-01). When this returns, every instance sees the row.
 */
export const completeFence = async (
  fence: Fence,
  subject: FenceSubject,
  { fenced, revision, events }: Pick<Handled<unknown, DomainEvent, string>, 'fenced' | 'revision' | 'events'>,
): Promise<void> => {
  const row = fenced.find((candidate) => candidate.subject === subject);
  if (!row || revision === 'no-stream') return;
  const isNew = row.revision > revision - BigInt(events.length);
  if (!isNew && (await isThere(fence, row))) return;
  await fence.write([row]);
};

const isThere = async (fence: Fence, { subject, revision }: { subject: FenceSubject; revision: bigint }) => {
  const present = await fence.read([subject]);
  return present.some((row) => !row.parked && row.revision >= revision);
};
