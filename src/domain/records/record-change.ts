import { eachRecordEvent } from './each-record.ts';
import type { AnyRecord, RecordDescription } from './record-resource.ts';
import type { RecordResource } from './record-resources.ts';

/** What the lists use of a record's event. It is read as stored: nothing in it is encrypted. */
export type RecordChange = {
  readonly list: RecordResource['table'];
  readonly id: string;
  readonly present: boolean;
  /** For a profile its user, for the others their profile. */
  readonly owner: string | null;
};

type Changing = { readonly list: RecordResource['table']; readonly owner: RecordDescription['owner'] | null };

/** By event type; `owner` null where the record is removed. An erasure removes no record. */
const changing: Readonly<Record<string, Changing | null>> = eachRecordEvent(
  ({ table: list, owner }, change) =>
    change === 'Erased' ? null : { list, owner: change === 'Recorded' ? owner : null },
);

type Stored = { readonly type: string; readonly data: unknown };

/** Null for an event that is not about a record. */
export const recordChangeIn = ({ type, data }: Stored): RecordChange | null => {
  const found = Object.hasOwn(changing, type) ? changing[type] : null;
  if (!found) return null;
  const { list, owner } = found;
  const record = data as AnyRecord & { readonly id: string };
  return {
    list,
    id: record.id,
    present: owner !== null,
    owner: owner && (record[owner.field] ?? null),
  };
};
