import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';
import { startsOf } from './name-words.ts';

type Row = { readonly id: string };

const tables = {
  organization: { table: 'organizations', id: 'organization_id', words: 'words' },
  addon: { table: 'addons', id: 'addon_id', words: 'words' },
  publisher: { table: 'publishers', id: 'publisher_id', words: 'words' },
  user: { table: 'accounts', id: 'user_id', words: 'name_words' },
} as const;

/** The words of the name find rows by an index; a name without a word is compared with every row. */
const select = (kind: keyof typeof tables, hasWords: boolean) => {
  const { table, id, words } = tables[kind];
  return {
    name: `${kind}-named${hasWords ? '' : '-without-words'}`,
    text: `select ${id} as id from ${table}
           where name = $1${hasWords ? ` and array_to_tsvector(${words}) @@ $3::tsquery` : ''} order by 1 limit $2`,
  };
};

/** Of things with exactly this name, the oldest ones. */
export const readNamed =
  (reader: PipelinedReader): ReadModels['named'] =>
  async (kind, name, limit) => {
    const starts = startsOf(name);
    const values = [name, limit, ...(starts === null ? [] : [starts])];
    return (await reader.query<Row>(select(kind, starts !== null), values)).map(({ id }) => id);
  };
