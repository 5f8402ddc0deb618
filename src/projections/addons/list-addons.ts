import { startsOf } from '../kernel/name-words.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';

type Found = { readonly addonId: string };

/** Add-ons in the order of their registration, one page at a time, as far as the read models know. */
export const readAddonIds =
  (reader: PipelinedReader): ReadModels['addonIds'] =>
  async (search, { after, limit }) => {
    const page = [after ?? '', limit];
    const starts = search === null ? null : startsOf(search);
    const rows = await (search === null
      ? reader.query<Found>({ name: 'addon-ids', text: select('') }, page)
      : starts === null
        ? reader.query<Found>({ name: 'addon-ids-found-by-id', text: select(byId) }, [...page, search])
        : reader.query<Found>({ name: 'addon-ids-found-by-words', text: select(`(${byId} or ${byWords})`) }, [
            ...page,
            search,
            starts,
          ]));
    return rows.map(({ addonId }) => addonId);
  };

const byId = 'addon_id = $3';
const byWords = 'array_to_tsvector(words) @@ $4::tsquery';

const select = (condition: string) => `
  select addon_id as "addonId" from addons
  where addon_id > $1${condition === '' ? '' : ` and ${condition}`}
  order by addon_id limit $2`;
