import { subjectsOfStream, type About } from '../../domain/event-subjects.ts';
import { type EventType, subjectsOf, typesWithSubjects } from '../../domain/events.ts';
import { removedStreamsOf } from '../../domain/log/retention.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { historyKey, numberOfType } from './history-types.ts';
import { ensureMonths, monthOf, readPartitions } from './history-months.ts';
import { forgetStreams, knowStreams, type HistoryStream } from './history-streams.ts';
import { columnsOf, type Projection, type Tx } from '../follow/projection.ts';

/** The group's checkpoint. */
export const historyGroup = 'timelines';

/** The event types of this read model: all that have subjects, and the one that removes streams. */
export const historyTypes: readonly EventType[] = [...typesWithSubjects, 'StreamsRemoved'];

/** Which event is about which subjects. The subjects in the first event of a grant or a session apply to all later ones. */
export const history: Projection = {
  name: 'history',
  eventTypes: historyTypes,
  begin() {
    const events: RecordedEvent[] = [];
    const removed: string[] = [];
    const passed: ReferenceRow[] = [];
    return {
      apply(event) {
        if (event.event.type === 'StreamsRemoved') removed.push(...removedStreamsOf(event.event.data));
        if (!typesWithSubjects.includes(event.event.type)) return;
        refuseTwoPositions(event);
        events.push(event);
      },
      passOver({ stream, revision, position, type, created = 0 }) {
        for (const { kind, id } of subjectsOfStream(stream))
          passed.push({ kind, id, position: position.commit, created, stream, revision, type, actor: null });
      },
      async write(tx) {
        if (events.length > 0) await writeEvents(tx, events);
        if (passed.length > 0) await writeReferences(tx, passed);
        if (removed.length > 0) await forgetStreams(tx, removed);
      },
    };
  },
};

/** For the groups of projections, as `readModelProjections`. */
export const historyProjections: readonly Projection[] = [history];

/** No server gives one of our events such a position. If one did, the event would be found at the wrong place, so its key is parked. */
const refuseTwoPositions = ({ id, position: { commit, prepare } }: RecordedEvent): void => {
  if (commit !== prepare) throw new Error(`event ${id} is at ${commit}/${prepare}, not at one position`);
};

const writeEvents = async (tx: Tx, events: readonly RecordedEvent[]): Promise<void> => {
  const [streams] = await Promise.all([knowStreams(tx, events), makeMonths(tx, events)]);
  const narrow: NarrowRow[] = [];
  const references: ReferenceRow[] = [];
  for (const event of events) {
    const stream = streams.get(event.stream) ?? null;
    const row = narrowRow(event, stream);
    if (row) narrow.push(row);
    else
      for (const about of subjectsOf(event.event, { streamId: idOf(event.stream), owner: stream }))
        references.push(referenceOf(about, event));
  }
  if (narrow.length > 0) await insertNarrow(tx, narrow);
  if (references.length > 0) await insertReferences(tx, references);
};

const writeReferences = async (tx: Tx, rows: readonly ReferenceRow[]): Promise<void> => {
  await makeMonths(tx, rows);
  await insertReferences(tx, rows);
};

const makeMonths = async (tx: Tx, all: readonly { readonly created: number }[]): Promise<void> =>
  ensureMonths(tx, await readPartitions(tx), new Set(all.map(({ created }) => monthOf(created))));

const keyOf = (id: string | null): bigint | null => (id === null ? null : historyKey(id));

/** Null for events that are stored in `history_references`. */
const narrowRow = (
  { position, created, revision, event, metadata }: RecordedEvent,
  stream: HistoryStream | null,
) => {
  const type = numberOfType(event.type);
  if (type === null || stream === null) return null;
  const actor = metadata.actor ?? null;
  return {
    stream: stream.number,
    position: position.commit,
    created,
    organization: keyOf(stream.organizationId),
    addon: keyOf(stream.addonId),
    user: keyOf(stream.userId),
    revision,
    type,
    actor: actor !== null && actor === `addon:${stream.addonId}` ? '' : actor,
  };
};

type NarrowRow = NonNullable<ReturnType<typeof narrowRow>>;

const insertNarrow = async (tx: Tx, rows: readonly NarrowRow[]): Promise<void> => {
  const values = columnsOf(rows, [
    'stream',
    'position',
    'created',
    'organization',
    'addon',
    'user',
    'revision',
    'type',
    'actor',
  ]);
  await tx.query({ name: 'insert-history-events', text: insertNarrowText, values: [...values] });
};

const insertNarrowText = `
  insert into history_events (stream, position, created, organization_key, addon_key, user_key, revision, type, actor)
  select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[],
                       $8::smallint[], $9::text[])
  on conflict do nothing`;

const referenceOf = (
  { kind, id }: About,
  { stream, revision, position, event, metadata, created }: RecordedEvent,
) => ({
  kind,
  id,
  position: position.commit,
  created,
  stream,
  revision,
  type: event.type,
  actor: metadata.actor ?? null,
});

type ReferenceRow = Omit<ReturnType<typeof referenceOf>, 'type'> & { readonly type: string };

const insertReferences = async (tx: Tx, rows: readonly ReferenceRow[]): Promise<void> => {
  const values = columnsOf(rows, [
    'kind',
    'id',
    'position',
    'created',
    'stream',
    'revision',
    'type',
    'actor',
  ]);
  await tx.query({ name: 'insert-history-references', text: insertReferencesText, values: [...values] });
};

const insertReferencesText = `
  insert into history_references (kind, id, position, created, stream, revision, type, actor)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[])
  on conflict do nothing`;
