import type { Pool } from 'pg';
import type { PasskeyUses } from '../../domain/people/passkey.ts';

/** The uses of passkeys over Postgres. One statement decides, so a counter counts once for all instances. */
export const makePasskeyUses = ({ pool }: { readonly pool: Pick<Pool, 'query'> }): PasskeyUses => ({
  async note({ passkeyId, userId, counter, at }) {
    const { rowCount } = await pool.query({
      name: 'note-passkey-use',
      text: note,
      values: [passkeyId, userId, counter, at],
    });
    return rowCount === 1;
  },
  async of(userId) {
    const { rows } = await pool.query<{ passkey_id: string; last_used_at: string }>({
      name: 'passkey-uses',
      text: 'select passkey_id, last_used_at from passkey_uses where user_id = $1',
      values: [userId],
    });
    return new Map(rows.map((row) => [row.passkey_id, Number(row.last_used_at)]));
  },
  async forget(what) {
    if ('passkeyId' in what)
      await pool.query('delete from passkey_uses where passkey_id = $1', [what.passkeyId]);
    else await pool.query('delete from passkey_uses where user_id = $1', [what.userId]);
  },
});

/** An authenticator that does not count always says 0. */
const note = `
  insert into passkey_uses (passkey_id, user_id, counter, last_used_at)
  values ($1, $2, $3, $4)
  on conflict (passkey_id) do update set counter = excluded.counter, last_used_at = excluded.last_used_at
  where excluded.counter > passkey_uses.counter or (excluded.counter = 0 and passkey_uses.counter = 0)`;
