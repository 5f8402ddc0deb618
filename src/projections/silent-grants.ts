import type { Pool } from 'pg';
import { admitSilentGrant, silentGrants } from '../domain/silent-grants.ts';

/** Counts a grant that is to be made without a question. @returns null, or whole seconds to wait: then nothing is counted */
export type CountSilentGrant = (sessionId: string, addonId: string) => Promise<number | null>;

/**
 * In the database, by its clock: one for all instances. What was read is replaced only while nobody else has counted since; who was
 * overtaken reads again, at most once for each grant that somebody else got. Once in a while one of them takes away what is worth
 * nothing any more, so that the table cannot grow for ever.
 */
export const makeCountSilentGrant = ({ pool }: { readonly pool: Pool }): CountSilentGrant => {
  let sweptAt = 0;
  const sweepAt = async (now: number) => {
    if (Math.abs(now - sweptAt) < sweepEvery) return;
    sweptAt = now;
    await pool.query(sweep, [now - silentGrants.window]);
  };
  return async (sessionId, addonId) => {
    const key = `${sessionId} ${addonId}`;
    for (;;) {
      const { rows } = await pool.query<Row>({ name: 'silent-grants', text: read, values: [key] });
      const times = rows[0]?.times ?? null;
      const now = Number(rows[0]?.now);
      const counted = admitSilentGrant((times ?? []).map(Number), now);
      if (!counted.admitted) return counted.retryAfter;
      const values = [key, counted.times, now + silentGrants.window, times];
      const { rowCount } = await pool.query({ name: 'count-silent-grant', text: write, values });
      if (rowCount === 0) continue;
      await sweepAt(now);
      return null;
    }
  };
};

type Row = { readonly times: readonly string[] | null; readonly now: string };

/** Milliseconds between two sweeps of an instance. More rows go in one than come in that time. */
const sweepEvery = 5_000;

/** One row always, for the time. */
const read = `
  select times, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
  from (select) as once left join silent_grants on key = $1`;

const write = `
  insert into silent_grants as kept (key, times, forgotten_at) values ($1, $2::bigint[], $3)
  on conflict (key) do update set times = excluded.times, forgotten_at = excluded.forgotten_at
    where kept.times = $4::bigint[]`;

const sweep = `
  delete from silent_grants where key in (
    select key from silent_grants where forgotten_at < $1 order by forgotten_at limit 5000 for update skip locked)`;
