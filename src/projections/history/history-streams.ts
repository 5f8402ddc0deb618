import { hasOwner, type Owner } from '../../domain/event-subjects.ts';
import { ownerIn } from '../../domain/events.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { columnsOf, type Tx } from '../follow/projection.ts';

export type HistoryStream = Owner & {
  readonly stream: string;
  readonly number: bigint;
};

/**
 * The streams of grants and sessions that these events are in, with their owners; new streams are stored. The first
 * applied event creates the row: it is the same one however the log is cut into batches.
 */
export const knowStreams = async (
  tx: Tx,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, HistoryStream>> => {
  const first = new Map<string, RecordedEvent>();
  for (const event of events)
    if (hasOwner(event.stream) && !first.has(event.stream)) first.set(event.stream, event);
  if (first.size === 0) return new Map();
  const known = await readStreams(tx, [...first.keys()]);
  const begun = [...first.values()].filter(({ stream }) => !known.has(stream)).map(beginningOf);
  if (begun.length > 0) await insertStreams(tx, begun);
  return new Map([...known, ...begun.map((row) => [row.stream, row] as const)]);
};

type Beginning = HistoryStream & { readonly created: number };

const beginningOf = ({ stream, position, created, event }: RecordedEvent): Beginning => ({
  stream,
  number: position.commit,
  created,
  ...(ownerIn(event) ?? { organizationId: null, addonId: null, userId: null }),
});

const insertStreams = async (tx: Tx, rows: readonly Beginning[]): Promise<void> => {
  const values = columnsOf(rows, ['stream', 'number', 'created', 'organizationId', 'addonId', 'userId']);
  await tx.query({ name: 'insert-history-streams', text: insertText, values: [...values] });
};

const insertText = `
  insert into history_streams (stream, number, created, organization_id, addon_id, user_id)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])
  on conflict (stream) do nothing`;

const readStreams = async (
  tx: Tx,
  streams: readonly string[],
): Promise<ReadonlyMap<string, HistoryStream>> => {
  const { rows } = await tx.query<Omit<HistoryStream, 'number'> & { readonly number: string }>({
    name: 'history-streams-of',
    text: `select stream, number, organization_id as "organizationId", addon_id as "addonId", user_id as "userId"
           from history_streams where stream = any($1::text[])`,
    values: [streams],
  });
  return new Map(rows.map((row) => [row.stream, { ...row, number: BigInt(row.number) }]));
};

/** Removes streams that documented retention removes, with their narrow rows. */
export const forgetStreams = async (tx: Tx, streams: readonly string[]): Promise<void> => {
  await tx.query({
    name: 'forget-history-streams',
    text: `with gone as (delete from history_streams where stream = any($1::text[]) returning number)
           delete from history_events using gone where history_events.stream = gone.number`,
    values: [streams],
  });
};
