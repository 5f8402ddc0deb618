import { statement } from '../../common/transaction.ts';
import type { About } from '../../domain/event-subjects.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** The current names of organizations, add-ons and users, by id; unknown ones are left out. */
export type ReadNames = (of: readonly About[]) => Promise<ReadonlyMap<string, string>>;

type Row = { readonly id: string; readonly name: string };

export const readNames =
  (reader: PipelinedReader): ReadNames =>
  async (of) => {
    const idsOf = (kind: About['kind']) => [
      ...new Set(of.filter((about) => about.kind === kind).map(({ id }) => id)),
    ];
    const values = [idsOf('organization'), idsOf('addon'), idsOf('user')];
    if (values.every((ids) => ids.length === 0)) return new Map();
    return new Map((await reader.query<Row>(names, values)).map(({ id, name }) => [id, name]));
  };

const names = statement('names')`
    select organization_id as id, name from organizations where organization_id = any($1::text[])
    union all select addon_id, name from addons where addon_id = any($2::text[])
    union all select user_id, name from accounts where user_id = any($3::text[])`;
