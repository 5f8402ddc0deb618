import { fenceSubjectsOf, judgeFence, type Guarded } from '../domain/fence.ts';
import { toFenceRow, type StoredFenceRow } from './fence-statement.ts';
import type { Named, ReadLane } from './read-lane.ts';
import type { ListItem, ListReader } from './read-models.ts';
import type { RecordList } from './record-list.ts';

type Answer<T> = {
  readonly fence: readonly StoredFenceRow[] | null;
  readonly total: string | null;
  /** Without `createdAt`. */
  readonly items: readonly ListItem<T>[] | null;
  readonly created: readonly string[] | null;
};

/**
 * The reader of a list: fence, total and items in one statement, hence one snapshot (RS-02), and one round trip. The
 * organization's total is a counter; a user's few records are counted.
 * @param ofUser joins and condition that leave the records of the user `$2`
 */
export const makeListReader = <T extends object>(
  lane: ReadLane,
  list: RecordList<T>['list'],
  ofUser: string,
): ListReader<T> => {
  const organization = organizationPage(list);
  const user = userPage(list, ofUser);
  return {
    async page({ guarded, page, perPage }) {
      const { subject } = guarded;
      const slice = [perPage, (page - 1) * perPage];
      const [answer] =
        subject.kind === 'organization'
          ? await lane.query<Answer<T>>(organization, [
              fenceSubjectsOf(guarded),
              subject.organizationId,
              ...slice,
            ])
          : await lane.query<Answer<T>>(user, [
              fenceSubjectsOf(guarded),
              subject.userId,
              ...slice,
              guarded.addonId,
            ]);
      if (!answer) throw new Error('A page is one row');
      return judged(guarded, answer);
    },
  };
};

const judged = <T>(guarded: Guarded, { fence, total, items, created }: Answer<T>) => {
  const refused = judgeFence(guarded, (fence ?? []).map(toFenceRow));
  if (refused) return { refused };
  // Completed in place: a copy of each item would cost as much as reading it did.
  items?.forEach((item, i) => Object.assign(item, { createdAt: created?.[i] }));
  return { refused, items: items ?? [], totalItems: Number(total ?? 0) };
};

const organizationPage = (list: string): Named => ({
  name: `page-${list}-organization`,
  text: pageStatement(
    `select total from list_totals where list = '${list}' and organization_id = $2`,
    `from ${list} as record where record.organization_id = $2`,
  ),
});

const userPage = (list: string, ofUser: string): Named => {
  const source = `from ${list} as record ${ofUser} ${whereNotDeactivated}`;
  return { name: `page-${list}-user`, text: pageStatement(`select count(*) ${source}`, source) };
};

/**
 * An organization that deactivated the add-on takes its records out of its users' tokens, too (P1, DE-01); one that never
 * activated it has nothing to take (AC-02). Not a join: one look at the fence's key for each of a user's few records.
 */
const whereNotDeactivated = `
  and coalesce((select open from fence where subject = 'activation:' || record.organization_id || '.' || $5), true)`;

/** The items stay the text that was stored: taking them apart into columns would cost more than all the rest. */
const pageStatement = (total: string, source: string): string => `
  select page.items, page.created, (${total}) as total,
         (select json_agg(row) from (select subject, revision, epoch, open from fence where subject = any($1)) as row)
           as fence
  from (select json_agg(item) as items, json_agg(created_at) as created
        from (select record.item, record.created_at ${source}
              order by record.created, record.id limit $3 offset $4) as listed) as page`;
