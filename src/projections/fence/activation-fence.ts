import { fenceEventTypes, fenceRowOf } from '../../domain/fence/fence-rows.ts';
import type { FenceRow } from '../../domain/fence/fence.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { writeFenceStatement } from './fence-statement.ts';
import { defineProjection } from '../follow/projection.ts';

const note = (rows: FenceRow[], _data: unknown, event: RecordedEvent): void => {
  const row = fenceRowOf(event);
  if (row) rows.push(row);
};

/**
 * Writes the fence from the log: the same rows that commands write before they answer. It completes the work of a
 * command that crashed between its append and its write.
 */
export const activationFence = defineProjection<FenceRow[]>({
  name: 'activation-fence',
  closes: true,
  empty: () => [],
  on: Object.fromEntries(fenceEventTypes.map((type) => [type, note])),
  async write(tx, rows) {
    if (rows.length > 0) await tx.query(writeFenceStatement(rows));
  },
});
