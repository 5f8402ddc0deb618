import { statement } from '../../common/transaction.ts';
import type { NameOf } from '../../domain/event-subjects.ts';
import { erased } from '../../domain/kernel/unreadable-fields.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';
import { startsOf, wordsOfPeople } from './name-words.ts';
import { nameKey } from './sorted-list.ts';

/** The current names of organizations, add-ons, users and publishers, by id; unknown ones are left out. */
export type ReadNames = (of: readonly NameOf[]) => Promise<ReadonlyMap<string, string>>;

type Row = { readonly id: string; readonly name: string };

export const readNames =
  (reader: PipelinedReader): ReadNames =>
  async (of) => {
    const idsOf = (kind: NameOf['kind']) => [
      ...new Set(of.filter((about) => about.kind === kind).map(({ id }) => id)),
    ];
    const values = [idsOf('organization'), idsOf('addon'), idsOf('user'), idsOf('publisher')];
    if (values.every((ids) => ids.length === 0)) return new Map();
    return new Map((await reader.query<Row>(names, values)).map(({ id, name }) => [id, name]));
  };

const names = statement('names')`
    select organization_id as id, name from organizations where organization_id = any($1::text[])
    union all select addon_id, name from addons where addon_id = any($2::text[])
    union all select user_id, name from accounts where user_id = any($3::text[])
    union all select publisher_id, name from publishers where publisher_id = any($4::text[])`;

const tables = {
  organization: { table: 'organizations', id: 'organization_id', words: 'array_to_tsvector(words)' },
  addon: { table: 'addons', id: 'addon_id', words: 'array_to_tsvector(words)' },
  publisher: { table: 'publishers', id: 'publisher_id', words: 'array_to_tsvector(words)' },
  user: { table: 'accounts', id: 'user_id', words: wordsOfPeople },
} as const;

/** The words of the name find rows by an index; a name without a word is compared with every row. */
const select = (kind: keyof typeof tables, hasWords: boolean) => {
  const { table, id, words } = tables[kind];
  return {
    name: `${kind}-named${hasWords ? '' : '-without-words'}`,
    text: `select ${id} as id from ${table}
           where name = $1 and ${id} > $3${hasWords ? ` and ${words} @@ $4::tsquery` : ''} order by 1 limit $2`,
  };
};

/** Of things with exactly this name, the oldest ones after another. */
export const readNamed =
  (reader: PipelinedReader): ReadModels['named'] =>
  async (kind, name, limit, after = '') => {
    const starts = startsOf(name);
    const values = [name, limit, after, ...(starts === null ? [] : [starts])];
    return (await reader.query<{ readonly id: string }>(select(kind, starts !== null), values)).map(
      ({ id }) => id,
    );
  };

/** Where a choice is read from: what can still be chosen, and in which order. */
const choosable = {
  organization: ['organizations', 'organization_id', 'words', 'closed_at is null'],
  addon: ['addons', 'addon_id', 'words', 'not retired'],
  publisher: ['publishers', 'publisher_id', 'words', 'true'],
  user: ['accounts', 'user_id', 'name_words', `not disabled and email <> '${erased}'`],
} as const;

const choices = {
  name: 'choices',
  text: Object.entries(choosable)
    .map(
      ([kind, [table, id, words, isOpen]]) => `
    (select '${kind}' as kind, ${id} as id, name, ${kind === 'user' ? 'case when email_verified then email end' : 'null'} as email
     from ${table} where '${kind}' = any($1::text[]) and (${isOpen} or not $2::bool) order by ${nameKey(words)}, ${id} limit $3)`,
    )
    .join(' union all '),
};

/** The first by name, of all these kinds in one statement. */
export const readChoices =
  (reader: PipelinedReader): ReadModels['choices'] =>
  (kinds, onlyOpen, limit) =>
    reader.query(choices, [kinds, onlyOpen, limit]);

/** The pages are in English; this collation orders other scripts as Unicode's root collation does. */
const collator = new Intl.Collator('en', { numeric: true });

type Named = { readonly name: string };

/** As people expect names (UTS 10): case and accents last, "Pier 9" before "Pier 10"; not by the database's collation. Ties by `idOf`. */
export const byName = <Row extends Named>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] =>
  rows.toSorted((a, b) => collator.compare(a.name, b.name) || (idOf(a) < idOf(b) ? -1 : 1));
