import { ofOrganization, type Counting } from './counting.ts';
import type { Content, Operation } from './operations.ts';
import { profileKey, recordKey, type Moment, type RecordRow, type UserPlace } from './rows.ts';

export type FullRow = RecordRow & { readonly content: Content };

/** The changes of a batch to the records that it touched. Each record is in only one of the groups. */
export type RecordChanges = {
  readonly added: readonly FullRow[];
  readonly changed: readonly FullRow[];
  /** Only their place in a user's list has changed. */
  readonly moved: readonly RecordRow[];
  readonly removed: readonly RecordRow[];
};

/**
 * Event by event, as if each were a batch; no side effects. @param before rows of all records that are touched, of profiles that these name,
 * and of a profile's records whose user changes; others do not exist
 */
export const makeRecordFold = (before: readonly RecordRow[], counting: Counting) => {
  const known = new Map(before.map((row) => [recordKey(row), row]));
  const now = new Map<string, RecordRow | null>();
  const contents = new Map<string, Content>();
  const dependents = makeDependents(before);

  const rowOf = (key: string): RecordRow | null => (now.has(key) ? now.get(key) : known.get(key)) ?? null;
  const keep = (key: string, row: RecordRow | null) => {
    dependents.replace(key, rowOf(key), row);
    now.set(key, row);
  };

  const remove = (key: string, operation: Operation) => {
    const { list, organizationId, id } = operation;
    const row = rowOf(key);
    if (row === null) return; // the host may remove a record that it never sent us
    counting.leave(ofOrganization(list, organizationId), id, row.place, operation);
    placeOfUser(counting, row, null, operation);
    keep(key, null);
    if (list === 'profiles') moveAll(key, row.ofUser?.userId ?? null, null, operation);
  };
  const put = (key: string, operation: Operation, content: Content) => {
    const { list, organizationId, id, position } = operation;
    const row = rowOf(key);
    const ofList = ofOrganization(list, organizationId);
    if (row) counting.touch(ofList, position);
    const place = row?.place ?? counting.enter(ofList, id, position);
    const profileId = list === 'profiles' ? null : content.owner;
    const userId = profileId === null ? content.owner : userOf(rowOf(profileKey(organizationId, profileId)));
    const ofUser = placeOfUser(
      counting,
      { list, organizationId, id, ofUser: row?.ofUser ?? null },
      userId,
      operation,
    );
    const createdAt = row?.createdAt ?? content.storedAt;
    keep(key, { list, organizationId, id, place, ofUser, profileId, createdAt });
    contents.set(key, content);
    if (list === 'profiles') moveAll(key, userOf(row), userId, operation);
  };
  const move = (row: RecordRow, userId: string | null, moment: Moment) => {
    keep(recordKey(row), { ...row, ofUser: placeOfUser(counting, row, userId, moment) });
  };
  const moveAll = (profile: string, from: string | null, to: string | null, moment: Moment) => {
    if (from === to) return;
    const rows = dependents
      .of(profile)
      .map(rowOf)
      .filter((row) => row !== null);
    for (const row of rows.toSorted((a, b) => a.place.ordinal - b.place.ordinal)) move(row, to, moment);
  };

  return {
    apply(operation: Operation) {
      const key = recordKey(operation);
      if (operation.content === null) remove(key, operation);
      else put(key, operation, operation.content);
    },
    /** Moves a record to another user's list, or out of any. */
    move,
    changes() {
      const changes: { [Kind in keyof RecordChanges]: RecordChanges[Kind][number][] } = {
        added: [],
        changed: [],
        moved: [],
        removed: [],
      };
      for (const [key, row] of now) {
        const before = known.get(key);
        const content = contents.get(key);
        if (row === null) changes.removed.push(...(before ? [before] : []));
        else if (content === undefined) changes.moved.push(row);
        else (before ? changes.changed : changes.added).push({ ...row, content });
      }
      return changes;
    },
  };
};

export type RecordFold = ReturnType<typeof makeRecordFold>;

const userOf = (profile: RecordRow | null): string | null => profile?.ofUser?.userId ?? null;

/** A record keeps its place as long as the user stays the same; it leaves one list before it enters the other. */
const placeOfUser = (
  counting: Counting,
  { list, organizationId, id, ofUser }: Pick<RecordRow, 'list' | 'organizationId' | 'id' | 'ofUser'>,
  userId: string | null,
  moment: Moment,
): UserPlace | null => {
  const { position } = moment;
  if (ofUser && ofUser.userId === userId) {
    counting.touch({ list, organizationId, userId }, position);
    return ofUser;
  }
  if (ofUser) counting.leave({ list, organizationId, userId: ofUser.userId }, id, ofUser, moment);
  return userId === null
    ? null
    : { userId, ...counting.enter({ list, organizationId, userId }, id, position) };
};

/** Which records name a profile, updated while the batch is folded. */
const makeDependents = (before: readonly RecordRow[]) => {
  const keys = new Map<string, Set<string>>();
  const of = ({ organizationId, profileId }: RecordRow): Set<string> | undefined => {
    if (profileId === null) return undefined;
    const profile = profileKey(organizationId, profileId);
    const named = keys.get(profile) ?? new Set();
    keys.set(profile, named);
    return named;
  };
  for (const row of before) of(row)?.add(recordKey(row));
  return {
    of: (profile: string): readonly string[] => [...(keys.get(profile) ?? [])],
    replace(key: string, was: RecordRow | null, is: RecordRow | null) {
      if (was) of(was)?.delete(key);
      if (is) of(is)?.add(key);
    },
  };
};
