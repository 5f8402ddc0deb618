import { eachRecord } from '../../domain/records/each-record.ts';
import { splitId } from '../../domain/kernel/stream-name.ts';
import {
  comparePositions,
  type LogReader,
  type Position,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import type { Tx } from '../follow/projection.ts';
import type { Row } from './compare-tables.ts';

/** The event that gave a row its content. Its data is left out: it may be personal. */
export type RowEvent = Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'position' | 'type' | 'created'>;

type Looking = {
  readonly log: LogReader;
  /** A snapshot of the live tables. */
  readonly tx: Tx;
  readonly position: Position;
  readonly signal: AbortSignal;
};

type Found = Promise<StoredEvent | null>;

/**
 * The last event of the row's stream at or before the position; null when the log has none, which then is the error.
 */
export const eventOfRow = async (looking: Looking, table: string, row: Row): Promise<RowEvent | null> => {
  const event = await finders[table]?.(looking, row);
  if (!event) return null;
  const { id, stream, revision, position, type, created } = event;
  return { id, stream, revision, position, type, created };
};

const pageSize = 500;

const lastOf =
  (...streams: readonly string[]) =>
  async ({ log, position }: Looking, concerns: (event: StoredEvent) => boolean = () => true): Found => {
    let last: StoredEvent | null = null;
    for (const stream of streams)
      for (let from = 0n; ; from += BigInt(pageSize)) {
        const page = await log.readStored(stream, from, pageSize);
        for (const event of page)
          if (comparePositions(event.position, position) <= 0 && concerns(event))
            if (!last || comparePositions(event.position, last.position) > 0) last = event;
        if (page.length < pageSize) break;
      }
    return last;
  };

const ofUser =
  (userId: string | null | undefined) =>
  ({ data }: StoredEvent): boolean =>
    (data as { userId?: unknown } | null)?.userId === userId;

/** A record's place in a user's list also depends on its profile. */
const ofRecord =
  (category: string) =>
  (looking: Looking, { organization_id, id, profile_id }: Row): Found =>
    lastOf(
      `${category}-${organization_id}.${id}`,
      ...(profile_id ? [`profile-${organization_id}.${profile_id}`] : []),
    )(looking);

const categories: Readonly<Record<string, string>> = eachRecord('table', ({ category }) => category);

/** The last event that changed what the list shows: a removed record is in no table, so the log is searched. */
const ofList = async (
  { log, position, signal }: Looking,
  { list, organization_id, user_id, changed }: Row,
): Found => {
  const names = [...new Set([categories[list ?? ''] ?? '', ...(user_id === '' ? [] : ['profile'])])];
  const streams = names.map((name) => ({ prefix: `${name}-${organization_id}.` }));
  const until = changed ? leastOf({ commit: BigInt(changed), prepare: 2n ** 63n }, position) : position;
  let last: StoredEvent | null = null;
  for await (const event of log.readLog({ after: null, until, only: { streams }, signal })) last = event;
  return last;
};

const leastOf = (a: Position, b: Position): Position => (comparePositions(a, b) <= 0 ? a : b);

/** The counts depend on many grants: this is the one that changed last. */
const ofConnection = async (looking: Looking, row: Row): Found => {
  const { rows } = await looking.tx.query<{ grant_id: string }>(
    `select grant_id from grants where organization_id = $1 and addon_id = $2 and epoch = $3 and user_id = $4
     order by greatest(issued_at, redeemed_at, refreshed_at, ended_at) desc nulls last limit 1`,
    [row['organization_id'], row['addon_id'], row['epoch'], row['user_id']],
  );
  return rows[0] ? lastOf(`grant-${rows[0].grant_id}`)(looking) : null;
};

const fenceStreams: Readonly<Record<string, (id: string) => string>> = {
  activation: (id) => `activation-${id}`,
  grant: (id) => `grant-${id}`,
  access: (id) => `grant-${splitId(id)[0]}`,
  account: (id) => `account-${id}`,
  consent: (id) => `consent-${id}`,
  addon: (id) => `addon-${id}`,
};

export const streamOfFence = (subject: string): string => {
  const [kind = '', id = ''] = subject.split(':');
  return fenceStreams[kind]?.(id) ?? `${kind}-${id}`;
};

/** For rows that contain the position of their event. */
const eventAt = async (
  log: LogReader,
  stream: string | null | undefined,
  revision: string | null | undefined,
): Found => (await log.readStored(stream ?? '', BigInt(revision ?? 0), 1))[0] ?? null;

const finders: Readonly<Record<string, (looking: Looking, row: Row) => Found>> = {
  organizations: (looking, { organization_id }) => lastOf(`organization-${organization_id}`)(looking),
  administrators: (looking, { organization_id, user_id }) =>
    lastOf(`organization-${organization_id}`)(looking, ofUser(user_id)),
  administrators_by_claim: (looking, { organization_id, user_id }) =>
    lastOf(`organization-${organization_id}`)(looking, ofUser(user_id)),
  auditors: (looking, { organization_id, user_id }) =>
    lastOf(`organization-${organization_id}`)(looking, ofUser(user_id)),
  accounts: (looking, { user_id }) => lastOf(`account-${user_id}`)(looking),
  addons: (looking, { addon_id }) => lastOf(`addon-${addon_id}`)(looking),
  activations: (looking, { organization_id, addon_id }) =>
    lastOf(`activation-${organization_id}.${addon_id}`)(looking),
  consents: (looking, { subject_id, addon_id, user_id }) =>
    lastOf(`consent-${subject_id}.${addon_id}`)(looking, ofUser(user_id)),
  grants: (looking, { grant_id }) => lastOf(`grant-${grant_id}`)(looking),
  connections: ofConnection,
  ...eachRecord('table', ({ category }) => ofRecord(category)),
  lists: ofList,
  list_blocks: ofList,
  history_streams: ({ log }, { stream }) => eventAt(log, stream, '0'),
  history_events: async ({ log, tx }, { stream: number, revision }) => {
    const text = 'select stream from history_streams where number = $1';
    const [found] = (await tx.query<{ stream: string }>(text, [number])).rows;
    return found ? eventAt(log, found.stream, revision) : null;
  },
  history_references: ({ log }, { stream, revision }) => eventAt(log, stream, revision),
  fence: ({ log }, { subject, revision }) => eventAt(log, streamOfFence(subject ?? ''), revision),
};

/** The tables whose rows can be traced. */
export const tracedTables: readonly string[] = Object.keys(finders);
