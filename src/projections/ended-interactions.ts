import type { Pool } from 'pg';
import type { Instant } from '../domain/decision.ts';

/** Ends an interaction for all instances. @returns false when it had already ended */
export type EndInteraction = (id: string, expiresAt: Instant) => Promise<boolean>;

/**
 * Whether an interaction has ended: a check before work that is useful only for an open one. Only `EndInteraction`
 * decides.
 */
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

/** A concurrent call waits for the first one's transaction, and then finds its row. */
const end = 'insert into ended_interactions (id, expires_at) values ($1, $2) on conflict do nothing';

const ended = 'select from ended_interactions where id = $1';
