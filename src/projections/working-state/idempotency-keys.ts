import type { Pool } from 'pg';
import type { Instant } from '../../domain/kernel/decision.ts';

type Row = {
  readonly id: string;
  readonly tokenKeyId: string;
  readonly fingerprint: Uint8Array;
  readonly seed: Uint8Array;
  readonly begunAt: Instant;
  readonly response: Uint8Array | null;
};

type Until = { readonly now: Instant; readonly running: Instant; readonly expires: Instant };

/** Requests of operators under their `Idempotency-Key`: one row decides which request acts, on whichever instance. */
export const makeIdempotencyKeys = ({ pool }: { readonly pool: Pool }) => ({
  claim: async (
    { id, tokenKeyId, fingerprint, seed, begunAt }: Omit<Row, 'response'>,
    fingerprints: readonly Uint8Array[],
    { now, running, expires }: Until,
  ): Promise<{ readonly row: Row; readonly isMine: boolean }> => {
    for (;;) {
      const values = [id, tokenKeyId, fingerprint, seed, begunAt, running, expires, now, fingerprints];
      const taken = await pool.query<Stored>({ name: 'claim-idempotency-key', text: claim, values });
      const [mine] = taken.rows;
      if (mine) return { row: rowOf(mine), isMine: true };
      const found = await pool.query<Stored>({ name: 'idempotency-key', text: select, values: [id] });
      const [other] = found.rows;
      // It was released meanwhile.
      if (other) return { row: rowOf(other), isMine: false };
    }
  },
  answer: async (id: string, response: Uint8Array): Promise<void> => {
    const text = 'update idempotency_keys set response = $2 where id = $1 and response is null';
    await pool.query({ name: 'answer-idempotency-key', text, values: [id, response] });
  },
  release: async (id: string): Promise<void> => {
    const text = 'delete from idempotency_keys where id = $1 and response is null';
    await pool.query({ name: 'release-idempotency-key', text, values: [id] });
  },
  abandon: async (id: string): Promise<void> => {
    const text = 'update idempotency_keys set running_until = 0 where id = $1';
    await pool.query({ name: 'abandon-idempotency-key', text, values: [id] });
  },
});

type Stored = Omit<Row, 'begunAt'> & { readonly begunAt: string };

const rowOf = ({ begunAt, ...row }: Stored): Row => ({ ...row, begunAt: Number(begunAt) });

const columns = `id, token_key_id as "tokenKeyId", fingerprint, seed, begun_at as "begunAt", response`;

const select = `select ${columns} from idempotency_keys where id = $1`;

/** A concurrent claim waits for the first one's transaction. An expired key begins anew; one without an answer goes on with its seed. */
const claim = `
  insert into idempotency_keys as kept (id, token_key_id, fingerprint, seed, begun_at, running_until, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (id) do update set
    token_key_id = case when kept.expires_at <= $8 then excluded.token_key_id else kept.token_key_id end,
    fingerprint = case when kept.expires_at <= $8 then excluded.fingerprint else kept.fingerprint end,
    seed = case when kept.expires_at <= $8 then excluded.seed else kept.seed end,
    begun_at = case when kept.expires_at <= $8 then excluded.begun_at else kept.begun_at end,
    expires_at = case when kept.expires_at <= $8 then excluded.expires_at else kept.expires_at end,
    response = case when kept.expires_at <= $8 then null else kept.response end,
    running_until = excluded.running_until
  where kept.expires_at <= $8
     or (kept.response is null and kept.running_until <= $8 and kept.fingerprint = any($9::bytea[]))
  returning ${columns}`;
