import type { Pool } from 'pg';
import { admitSilentGrant, silentGrants } from '../domain/silent-grants.ts';
import { inTransaction } from './in-transaction.ts';

/** Counts a grant that is to be made without a question. @returns null, or whole seconds to wait: then nothing is counted */
export type CountSilentGrant = (sessionId: string, addonId: string) => Promise<number | null>;

type Row = { readonly times: readonly string[]; readonly now: string };

/** In the database, by its clock: one for all instances. Whoever comes second for the same session and add-on waits for the first. */
export const makeCountSilentGrant =
  ({ pool }: { readonly pool: Pool }): CountSilentGrant =>
  (sessionId, addonId) =>
    inTransaction(pool, async (client) => {
      const key = `${sessionId} ${addonId}`;
      const { rows } = await client.query<Row>(lock, [key]);
      const now = Number(rows[0]?.now);
      const counted = admitSilentGrant((rows[0]?.times ?? []).map(Number), now);
      if (counted.admitted) await client.query(write, [key, counted.times, now + silentGrants.window]);
      await client.query(sweep, [now - silentGrants.window]);
      return counted.admitted ? null : counted.retryAfter;
    });

/** The clock is read when the row is locked, not when the wait for it began. */
const lock = `
  with locked as (
    insert into silent_grants as kept (key, times, forgotten_at) values ($1, '{}', 0)
    on conflict (key) do update set times = kept.times
    returning times)
  select times, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now from locked`;

const write = 'update silent_grants set times = $2::bigint[], forgotten_at = $3 where key = $1';

/** Each takes some away that are worth nothing any more: the table cannot grow for ever. */
const sweep = `
  delete from silent_grants where key in (
    select key from silent_grants where forgotten_at < $1 order by forgotten_at limit 20 for update skip locked)`;
