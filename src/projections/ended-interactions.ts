import type { Pool } from 'pg';
import type { Instant } from '../domain/decision.ts';

/** Ends an interaction for all instances. @returns false when it has ended before */
export type EndInteraction = (id: string, expiresAt: Instant) => Promise<boolean>;

/** Whether one has ended: to be asked before something that only an open one is worth. `EndInteraction` has the last word. */
export type HasEnded = (id: string) => Promise<boolean>;

type Dependencies = { readonly pool: Pool };

export const makeEndInteraction =
  ({ pool }: Dependencies): EndInteraction =>
  async (id, expiresAt) => {
    const { rowCount } = await pool.query({
      name: 'end-interaction',
      text: end,
      values: [id, expiresAt],
    });
    return rowCount === 1;
  };

export const makeHasEnded =
  ({ pool }: Dependencies): HasEnded =>
  async (id) => {
    const { rowCount } = await pool.query({ name: 'has-ended', text: ended, values: [id] });
    return rowCount === 1;
  };

/** Whoever comes second waits for the first one's transaction, and finds its row. */
const end = 'insert into ended_interactions (id, expires_at) values ($1, $2) on conflict do nothing';

const ended = 'select from ended_interactions where id = $1';
