import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { defineLists, type ListsOptions } from '../../../src/projections/lists/write/lists.ts';
import type { TestReadModels } from '../../support/log/read-models.ts';
import { scriptedLog } from '../../support/log/test-projector.ts';
import { tell, type Told } from '../follow/a-story.ts';

type Place = { readonly id: string; readonly ordinal: number; readonly entered: number };
type Options = ListsOptions & { readonly batchSize?: number };

/** Applies stories without a projector around it: the n-th event since the beginning is at position 10 n. */
export const makeListsTables = (side: TestReadModels) => {
  let log = scriptedLog();

  const apply = async (events: readonly RecordedEvent[], options: ListsOptions = {}): Promise<void> => {
    const batch = defineLists(options).begin();
    for (const event of events) batch.apply(event);
    const client = await side.pool.connect();
    try {
      await client.query('begin');
      await batch.write(client);
      await client.query('commit');
    } finally {
      client.release();
    }
  };

  return {
    apply,
    async given(story: readonly Told[], { batchSize = 1000, ...options }: Options = {}): Promise<void> {
      const events = tell(log, ...story);
      for (let i = 0; i < events.length; i += batchSize) await apply(events.slice(i, i + batchSize), options);
    },
    async clear(): Promise<void> {
      log = scriptedLog();
      await side.pool.query(
        ['profiles', 'reservations', 'access_rights', 'lists', 'list_blocks', 'list_removals']
          .map((table) => `delete from ${table}`)
          .join('; '),
      );
    },
    /** `id@ordinal`, with what it entered by; '' is the organization. */
    async placesIn(list: string, userId = '', organizationId = 'O1'): Promise<readonly string[]> {
      const [ordinal, entered] = userId === '' ? ['ordinal', 'entered'] : ['user_ordinal', 'user_entered'];
      const { rows } = await side.pool.query<Place>(
        `select id, ${ordinal} as ordinal, ${entered} as entered from ${list}
         where organization_id = $1 and ($2 = '' or user_id = $2) order by 2`,
        [organizationId, userId],
      );
      return rows.map((row) => `${row.id}@${row.ordinal} entered ${row.entered}`);
    },
    /** `list/user: total of next, changed`, by name. */
    async lists(): Promise<readonly string[]> {
      const { rows } = await side.pool.query<{ list: string }>(
        `select list || '/' || user_id || ': ' || total || ' of ' || next_ordinal || ', ' || changed as list
         from lists where organization_id = 'O1'`,
      );
      return rows.map(({ list }) => list).toSorted();
    },
    /** `level/block: records`, of the organization's profiles or of another list. */
    async blocks(list = 'profiles', userId = ''): Promise<readonly string[]> {
      const { rows } = await side.pool.query<{ counted: string }>(
        `select level || '/' || block || ': ' || records as counted from list_blocks
         where organization_id = 'O1' and list = $1 and user_id = $2 order by level, block`,
        [list, userId],
      );
      return rows.map(({ counted }) => counted);
    },
  };
};
