import type { Pool } from 'pg';
import type { Instant } from '../domain/decision.ts';

/** Ends an interaction for all instances. @returns false when it has ended before */
export type EndInteraction = (id: string, expiresAt: Instant) => Promise<boolean>;

/** Whether one has ended: to be asked before something that only an open one is worth. `EndInteraction` has the last word. */
export type HasEnded = (id: string) => Promise<boolean>;

type Needs = { readonly pool: Pool; readonly now: () => Instant };

export const makeEndInteraction =
  ({ pool, now }: Needs): EndInteraction =>
  async (id, expiresAt) => {
    const { rowCount } = await pool.query({
      name: 'end-interaction',
      text: end,
      values: [id, expiresAt, now() - clocksApart],
    });
    return rowCount === 1;
  };

export const makeHasEnded =
  ({ pool }: Pick<Needs, 'pool'>): HasEnded =>
  async (id) => {
    const { rowCount } = await pool.query({ name: 'has-ended', text: ended, values: [id] });
    return rowCount === 1;
  };

/** Another instance may still take for valid what has expired here. */
const clocksApart = 600_000;

/**
 * Whoever comes second waits for the first one's transaction, and finds its row. Each takes some away that are worth nothing
 * any more, so that the table cannot grow for ever; nobody waits for all of a busy day to go, or for who takes the same.
 */
const end = `
  with swept as (
    delete from ended_interactions where id in (
      select id from ended_interactions where expires_at < $3 order by expires_at limit 20 for update skip locked))
  insert into ended_interactions (id, expires_at) values ($1, $2) on conflict do nothing`;

const ended = 'select from ended_interactions where id = $1';
