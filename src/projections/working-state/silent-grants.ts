import type { Pool } from 'pg';
import { admitSilentGrant, silentGrants } from '../../domain/access/silent-grants.ts';

/** Counts a grant that is to be made unasked. @returns null, or whole seconds to wait: nothing is counted then */
export type CountSilentGrant = (sessionId: string, addonId: string) => Promise<number | null>;

/** By the database's clock. The row is replaced if nobody counted since it was read; else it is read again. */
export const makeCountSilentGrant =
  ({ pool }: { readonly pool: Pool }): CountSilentGrant =>
  async (sessionId, addonId) => {
    const key = `${sessionId} ${addonId}`;
    for (;;) {
      const { rows } = await pool.query<Row>({ name: 'silent-grants', text: read, values: [key] });
      const times = rows[0]?.times ?? null;
      const now = Number(rows[0]?.now);
      const counted = admitSilentGrant((times ?? []).map(Number), now);
      if (!counted.admitted) return counted.retryAfter;
      const values = [key, counted.times, now + silentGrants.window, times];
      const { rowCount } = await pool.query({ name: 'count-silent-grant', text: write, values });
      if (rowCount !== 0) return null;
    }
  };

type Row = { readonly times: readonly string[] | null; readonly now: string };

/** Always one row, for the time. */
const read = `
  select times, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
  from (select) as once left join silent_grants on key = $1`;

const write = `
  insert into silent_grants as kept (key, times, forgotten_at) values ($1, $2::bigint[], $3)
  on conflict (key) do update set times = excluded.times, forgotten_at = excluded.forgotten_at
    where kept.times = $4::bigint[]`;
