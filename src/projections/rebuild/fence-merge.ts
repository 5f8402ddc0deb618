import type { Tx } from '../follow/projection.ts';
import { toFenceRow, writeFenceStatement, type StoredFenceRow } from '../fence/fence-statement.ts';
import { nameOf } from './table-definition.ts';

const chunk = 1000;

/** Merges built rows into the fence as all writes do: only missing or older rows, a few at a time. @returns their number */
export const mergeFence = async (tx: Tx, from: string, into: string): Promise<number> => {
  await tx.query('reset search_path');
  let after = '';
  let merged = 0;
  for (;;) {
    const { rows } = await tx.query<StoredFenceRow>(
      `select built.subject, built.revision, built.epoch, built.open
       from ${nameOf(from, 'fence')} as built left join ${nameOf(into, 'fence')} as live on live.subject = built.subject
       where built.subject > $1 and (live.subject is null or live.revision < built.revision)
       order by built.subject limit ${chunk}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return merged;
    const { rowCount } = await tx.query(writeFenceStatement(rows.map(toFenceRow)));
    merged += rowCount ?? 0;
    after = last.subject;
  }
};
