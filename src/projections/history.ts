import {
  concerningTypes,
  concernsOf,
  hasOwner,
  ownerIn,
  type About,
  type Owner,
} from '../domain/concerns.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { columnsOf, idOf, type Projection, type Tx } from './projection.ts';

/** The group's checkpoint, its projection and its table have one name. */
export const historyGroup = 'history';

/** Which event concerns whom. What a grant's or a session's first event says holds for all that follow. */
export const history: Projection = {
  name: historyGroup,
  eventTypes: concerningTypes,
  begin() {
    const events: RecordedEvent[] = [];
    const begun = new Map<string, Owner>();
    return {
      apply(event) {
        const owner = ownerIn(event.event);
        if (owner) begun.set(event.stream, owner);
        if (concerningTypes.includes(event.event.type)) events.push(event);
      },
      async write(tx) {
        if (events.length === 0) return;
        if (begun.size > 0) await insertOwners(tx, begun);
        const owners = new Map([...begun, ...(await ownersBefore(tx, events, begun))]);
        await insertReferences(tx, events, owners);
      },
    };
  },
};

/** For the groups of projections, as `readModelProjections`. */
export const historyProjections: readonly Projection[] = [history];

type OwnerRow = Owner & { readonly stream: string };

const insertOwners = async (tx: Tx, begun: ReadonlyMap<string, Owner>): Promise<void> => {
  const rows = [...begun].map(([stream, owner]): OwnerRow => ({ stream, ...owner }));
  const values = [...columnsOf(rows, ['stream', 'organizationId', 'addonId', 'userId'])];
  await tx.query({ name: 'insert-history-owners', text: insertOwnersText, values });
};

const insertOwnersText = `
  insert into history_owners (stream, organization_id, addon_id, user_id)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
  on conflict (stream) do nothing`;

const ownersBefore = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  begun: ReadonlyMap<string, Owner>,
): Promise<ReadonlyMap<string, Owner>> => {
  const streams = new Set(
    events.map(({ stream }) => stream).filter((stream) => hasOwner(stream) && !begun.has(stream)),
  );
  if (streams.size === 0) return new Map();
  const { rows } = await tx.query<OwnerRow>({
    name: 'history-owners-of',
    text: `select stream, organization_id as "organizationId", addon_id as "addonId", user_id as "userId"
           from history_owners where stream = any($1::text[])`,
    values: [[...streams]],
  });
  return new Map(rows.map(({ stream, ...owner }) => [stream, owner]));
};

const insertReferences = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: ReadonlyMap<string, Owner>,
): Promise<void> => {
  const rows = events.flatMap((event) =>
    concernsOf(event.event, { streamId: idOf(event), owner: owners.get(event.stream) ?? null }).map((about) =>
      referenceOf(about, event),
    ),
  );
  if (rows.length === 0) return;
  const values = [
    ...columnsOf(rows, ['kind', 'id', 'commit', 'prepare', 'stream', 'revision', 'type', 'actor', 'created']),
  ];
  await tx.query({ name: 'insert-history', text: insertReferencesText, values });
};

const insertReferencesText = `
  insert into history (kind, id, commit_position, prepare_position, stream, revision, type, actor, created)
  select * from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::text[], $6::bigint[], $7::text[],
                       $8::text[], $9::bigint[])
  on conflict (kind, id, commit_position, prepare_position) do nothing`;

const referenceOf = (
  { kind, id }: About,
  { stream, revision, position, event, metadata, created }: RecordedEvent,
) => ({
  kind,
  id,
  commit: position.commit,
  prepare: position.prepare,
  stream,
  revision,
  type: event.type,
  actor: metadata.actor ?? null,
  created,
});
