import { fenceSubjectsOf, judgeFence, type Guarded } from '../domain/fence.ts';
import { toFenceRow, type StoredFenceRow } from './fence-statement.ts';
import type { Named, ReadLane } from './read-lane.ts';
import type { ListItem, ListReader } from './read-models.ts';
import type { RecordList } from './record-list.ts';

export type ListPageNeeds<T extends object> = RecordList<T> & {
  /** Joins and condition that leave the records of the user `$2`. */
  readonly ofUser: string;
};

type Answer<T> = {
  readonly fence: readonly StoredFenceRow[];
  readonly total: string | null;
  readonly items: readonly StoredItem<T>[] | null;
};
type StoredItem<T> = Omit<ListItem<T>, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: number;
  readonly updatedAt: number;
};

/**
 * The reader of a list: fence, total and items in one statement, hence one snapshot (RS-02), and one round trip. The
 * organization's total is a counter; a user's few records are counted.
 */
export const makeListReader = <T extends object>(needs: ListPageNeeds<T>, lane: ReadLane): ListReader<T> => {
  const { organization, user } = pageStatements(needs);
  return {
    async page({ guarded, page, perPage }) {
      const { subject } = guarded;
      const [statement, whose] =
        subject.kind === 'organization' ? [organization, subject.organizationId] : [user, subject.userId];
      const values = [fenceSubjectsOf(guarded), whose, perPage, (page - 1) * perPage];
      const [answer] = await lane.query<Answer<T>>(statement, values);
      if (!answer) throw new Error('A page is one row');
      return judged(guarded, answer);
    },
  };
};

const judged = <T>(guarded: Guarded, { fence, total, items }: Answer<T>) => {
  const refused = judgeFence(guarded, fence.map(toFenceRow));
  if (refused) return { refused };
  return { refused, items: (items ?? []).map(toItem), totalItems: Number(total ?? 0) };
};

const toItem = <T>(item: StoredItem<T>): ListItem<T> =>
  ({
    ...item,
    createdAt: new Date(item.createdAt).toISOString(),
    updatedAt: new Date(item.updatedAt).toISOString(),
  }) as ListItem<T>;

const pageStatements = <T extends object>({
  list,
  columns,
  ofUser,
}: ListPageNeeds<T>): { readonly organization: Named; readonly user: Named } => {
  const ofOrganization = `from ${list} as record where record.organization_id = $2`;
  return {
    organization: {
      name: `page-${list}-organization`,
      text: pageStatement(
        `select total from list_totals where list = '${list}' and organization_id = $2`,
        itemsOf(columns, ofOrganization),
      ),
    },
    user: {
      name: `page-${list}-user`,
      text: pageStatement(
        `select count(*) from ${list} as record ${ofUser}`,
        itemsOf(columns, `from ${list} as record ${ofUser}`),
      ),
    },
  };
};

const itemsOf = (columns: Readonly<Record<string, string>>, source: string): string => `
  select record.id, record.version, record.created_at as "createdAt", record.updated_at as "updatedAt",
         ${Object.entries(columns)
           .map(([field, column]) => `record.${column} as "${field}"`)
           .join(', ')}
  ${source} order by record.created, record.id limit $3 offset $4`;

const pageStatement = (total: string, items: string): string => `
  select (select coalesce(json_agg(row), '[]')
          from (select subject, revision, epoch, open from fence where subject = any($1)) as row) as fence,
         (${total}) as total,
         (select json_agg(row) from (${items}) as row) as items`;
