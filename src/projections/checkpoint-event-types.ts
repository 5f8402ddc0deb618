import type { Tx } from './projection.ts';

/** The event types that each checkpoint's group reads. */
export type EventTypesByCheckpoint = Readonly<Record<string, readonly string[]>>;

/**
 * Notes what this version reads, before it appends anything: from then on no version that does not know all of it moves the
 * checkpoint past such an event. A leader of before begins again, so that it hears of what is new.
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

/** Those that another version reads from here on, and this one does not know. */
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
