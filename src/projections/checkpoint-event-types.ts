import type { Tx } from './projection.ts';

/** The event types that each checkpoint's group reads. */
export type EventTypesByCheckpoint = Readonly<Record<string, readonly string[]>>;

/**
 * Records which event types this version reads, before it appends anything: from then on, a version that does not know
 * all of them does not move the checkpoint past such an event. A leader of an earlier version starts again, so that it
 * learns of the new types.
 */
export const noteEventTypes = async (tx: Tx, groups: EventTypesByCheckpoint): Promise<void> => {
  for (const [checkpoint, eventTypes] of Object.entries(groups))
    await tx.query(noteTypes, [checkpoint, [...eventTypes]]);
};

const noteTypes = `
  with added as (
    insert into checkpoint_event_types (checkpoint, event_type) select $1, unnest($2::text[])
    on conflict do nothing returning event_type)
  update checkpoints set lease_epoch = lease_epoch + 1 where name = $1 and exists (select from added)`;

/** Event types that another version reads from this checkpoint on and this version does not know. */
export const readNewerTypes = async (
  tx: Tx,
  checkpoint: string,
  eventTypes: readonly string[],
): Promise<readonly string[]> => {
  const { rows } = await tx.query<{ type: string }>(
    `select event_type as type from checkpoint_event_types where checkpoint = $1 and event_type <> all ($2::text[])
     order by event_type`,
    [checkpoint, [...eventTypes]],
  );
  return rows.map(({ type }) => type);
};
