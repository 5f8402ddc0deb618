import type { Fence, FenceSubject } from '../../domain/fence/fence.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Handled } from './handle.ts';
import { refuteByFence } from '../log/proven-log.ts';

/**
 * Brings the fence to what a stream says; every instance sees the row afterwards. Without an append, it writes only what a crash left (TR-01).
 * @throws LogBehind when the fence knows a later event of the stream
 */
export const completeFence = async (
  fence: Fence,
  subject: FenceSubject,
  { fenced, revision, events }: Pick<Handled<unknown, DomainEvent, string>, 'fenced' | 'revision' | 'events'>,
): Promise<void> => {
  const row = fenced.find((candidate) => candidate.subject === subject);
  const isNew = row && revision !== 'no-stream' && row.revision > revision - BigInt(events.length);
  if (!isNew) {
    const present = await fence.read([subject]);
    if (events.length === 0) refuteByFence(present, revision);
    if (!row || present.some((other) => !other.parked && other.revision >= row.revision)) return;
  }
  await fence.write([row]);
};
