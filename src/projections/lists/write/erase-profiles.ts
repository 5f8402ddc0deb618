import { profilePerson } from '../../../domain/personal-data.ts';
import { personalFields } from '../../../domain/records/record-resource.ts';
import { recordResources } from '../../../domain/records/record-resources.ts';
import { erased } from '../../../domain/kernel/unreadable-fields.ts';
import { destroyKeysAgain } from '../../working-state/destroyed-keys.ts';
import { columnsOf, type Tx } from '../../follow/projection.ts';
import type { ListName, Operation } from './operations.ts';

/** An erased profile, and the commit position of the event that erased it. */
export type ErasedProfile = {
  readonly organizationId: string;
  readonly id: string;
  readonly position: bigint;
};

/** Erases persons: their rows, and again their keys. */
export const eraseProfiles = async (tx: Tx, profiles: readonly ErasedProfile[]): Promise<void> => {
  if (profiles.length === 0) return;
  await eraseProfileRows(tx, profiles);
  await destroyKeysAgain(
    tx,
    profiles.map(({ organizationId, id }) => profilePerson(organizationId, id)),
  );
};

/** Gives erased persons' rows the content of events without a key. They keep revisions: an append at one is a conflict. */
export const eraseProfileRows = async (tx: Tx, profiles: readonly ErasedProfile[]): Promise<void> => {
  for (const profile of profiles) for (const list of blanks.keys()) await eraseRows(tx, list, profile);
};

const blanks: ReadonlyMap<ListName, Readonly<Record<string, string>>> = new Map(
  recordResources.flatMap((resource) => {
    const fields = personalFields(resource).map((field) => [field, erased] as const);
    return fields.length === 0 ? [] : [[resource.table, Object.fromEntries(fields)] as const];
  }),
);

type Row = {
  readonly id: string;
  readonly ordinal: string;
  readonly userId: string | null;
  readonly item: Readonly<Record<string, unknown>>;
};

/** A record of somebody erased may still be decrypted by a cached key: it is not stored in clear text. */
export const withoutErased = async (
  tx: Tx,
  operations: readonly Operation[],
): Promise<readonly Operation[]> => {
  const persons = new Set(operations.flatMap((operation) => personOf(operation) ?? []));
  if (persons.size === 0) return operations;
  const { rows } = await tx.query<{ readonly subject: string }>({
    name: 'erased-persons',
    text: 'select subject from subject_keys where subject = any ($1::text[]) and erased_at is not null',
    values: [[...persons]],
  });
  if (rows.length === 0) return operations;
  const gone = new Set(rows.map(({ subject }) => subject));
  return operations.map((operation) => (gone.has(personOf(operation) ?? '') ? blank(operation) : operation));
};

/** For records with personal fields. */
const personOf = ({ list, organizationId, id, content }: Operation): string | null => {
  if (content === null || !blanks.has(list)) return null;
  return profilePerson(organizationId, list === 'profiles' ? id : (content.owner ?? ''));
};

const blank = (operation: Operation): Operation => {
  const { list, content } = operation;
  const gone = blanks.get(list);
  if (content === null || gone === undefined) return operation;
  const item = JSON.parse(content.item) as Readonly<Record<string, unknown>>;
  return { ...operation, content: { ...content, item: JSON.stringify({ ...item, ...gone }) } };
};

const atOnce = 1_000;

/** In parts: a person may have very many reservations. */
const eraseRows = async (tx: Tx, list: ListName, profile: ErasedProfile): Promise<void> => {
  const { organizationId, id, position } = profile;
  const gone = blanks.get(list);
  let after: string | null = '-1';
  while (after !== null) {
    const { rows }: { rows: Row[] } = await tx.query<Row>({
      name: `erased-${list}`,
      text: selectRows(list),
      values: [organizationId, id, after, atOnce],
    });
    if (rows.length > 0) {
      // The keys stay in their order: the text is what a rebuild would write.
      const changed = rows.map((row) => ({ id: row.id, item: JSON.stringify({ ...row.item, ...gone }) }));
      await tx.query({
        name: `erase-${list}`,
        text: updateRows(list),
        values: [organizationId, ...columnsOf(changed, ['id', 'item']), position],
      });
      const users = rows.flatMap(({ userId }) => (userId === null ? [] : [userId]));
      await tx.query({
        name: 'touch-lists',
        text: touchLists,
        values: [list, organizationId, ['', ...new Set(users)], position],
      });
    }
    after = rows.length < atOnce ? null : (rows.at(-1)?.ordinal ?? null);
  }
};

const selectRows = (list: ListName): string => `
  select id, ordinal, user_id as "userId", item from ${list}
  where organization_id = $1 and ${list === 'profiles' ? 'id' : 'profile_id'} = $2 and ordinal > $3
  order by ordinal limit $4`;

const updateRows = (list: ListName): string => `
  update ${list} as record set item = erased.item, changed = greatest(record.changed, $4)
  from unnest($2::text[], $3::json[]) as erased (id, item)
  where record.organization_id = $1 and record.id = erased.id`;

const touchLists = `
  update lists set changed = greatest(changed, $4)
  where list = $1 and organization_id = $2 and user_id = any ($3::text[])`;
