import type { Tx } from './projection.ts';

/** The event types that each checkpoint's group reads. */
export type EventTypesByCheckpoint = Readonly<Record<string, readonly string[]>>;

/**
 * Records which event types this version reads, before it appends anything: from then on, a version that does not know
 * all of them does not move the checkpoint past such an event. A leader of an earlier version starts again, so that it
 * learns of the new types and passes over no more of them.
 */
export const noteEventTypes = async (tx: Tx, groups: EventTypesByCheckpoint): Promise<void> => {
  for (const [checkpoint, eventTypes] of Object.entries(groups))
    await tx.query(noteTypes, [checkpoint, [...eventTypes]]);
};

const noteTypes = `
  with added as (
    insert into checkpoint_event_types as known (checkpoint, event_type) select $1, unnest($2::text[])
    on conflict (checkpoint, event_type) do update set passing = false where known.passing returning event_type)
  update checkpoints set lease_epoch = lease_epoch + 1 where name = $1 and exists (select from added)`;

/** What a leader does with event types that only a newer version reads. */
export type NewerTypes = {
  /** It does not move the checkpoint past an event of these. */
  readonly stopAt: readonly string[];
  /** Except for these, if the event may be skipped. They may be known types with events of a newer version. */
  readonly passOver: readonly string[];
};

/** Event types that another version reads from this checkpoint on and this version does not know. */
export const readNewerTypes = async (
  tx: Tx,
  checkpoint: string,
  eventTypes: readonly string[],
): Promise<NewerTypes> => {
  const { rows } = await tx.query<{ type: string; passing: boolean }>(
    `select event_type as type, passing from checkpoint_event_types
     where checkpoint = $1 and (passing or event_type <> all ($2::text[])) order by event_type`,
    [checkpoint, [...eventTypes]],
  );
  return {
    stopAt: rows.flatMap(({ type }) => (eventTypes.includes(type) ? [] : [type])),
    passOver: rows.flatMap(({ type, passing }) => (passing ? [type] : [])),
  };
};

/** From now on, leaders of this version pass over events of the type, until an instance that knows it starts. */
export const startPassingOver = async (tx: Tx, checkpoint: string, eventType: string): Promise<void> => {
  await tx.query(
    `insert into checkpoint_event_types as known (checkpoint, event_type, passing, missing_since) values ($1, $2, true, now())
     on conflict (checkpoint, event_type) do update
       set passing = true, missing_since = coalesce(known.missing_since, excluded.missing_since)`,
    [checkpoint, eventType],
  );
};
