import type { Pool } from 'pg';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Ends an interaction for all instances. @returns false when it had already ended */
export type EndInteraction = (id: string, expiresAt: Instant) => Promise<boolean>;

/** Whether an interaction has ended, before work that only an open one needs; `EndInteraction` decides. */
export type HasEnded = (id: string) => Promise<boolean>;

type Row = {
  readonly id: string;
  readonly tokenKeyId: string;
  readonly fingerprint: Uint8Array;
  readonly salt: Uint8Array;
  readonly begunAt: Instant;
};
type Claim = Row & { readonly runningUntil: Instant | null; readonly expiresAt: Instant };
type Found = Row & { readonly response: Uint8Array | null; readonly isMine: boolean };

/** One row decides which request acts, on whichever instance: the first one with a form, or under an `Idempotency-Key`. */
export const makeDoneOnce = ({ pool }: { readonly pool: Pool }) => {
  const ask = (name: string, text: string, ...values: readonly unknown[]) =>
    pool.query<Found & { readonly begunAt: string }>({ name, text, values: [...values] });
  return {
    end: (async (id, expiresAt) =>
      (await ask('end-interaction', end, id, expiresAt)).rowCount === 1) satisfies EndInteraction,
    hasEnded: (async (id) => (await ask('has-ended', ended, id)).rowCount === 1) satisfies HasEnded,
    claim: async (
      { id, expiresAt, tokenKeyId, fingerprint, salt, begunAt, runningUntil }: Claim,
      fingerprints: readonly Uint8Array[],
    ): Promise<Found> => {
      const values = [id, expiresAt, tokenKeyId, fingerprint, salt, begunAt, runningUntil, fingerprints];
      for (;;) {
        const [found] = (await ask('claim-once', claim, ...values)).rows;
        // Else its row was committed after the statement began.
        if (found) return { ...found, begunAt: Number(found.begunAt) };
      }
    },
    answer: async (id: string, response: Uint8Array, until: Instant): Promise<void> =>
      void (await ask('answer-once', answer, id, response, until)),
    release: async (id: string): Promise<void> => void (await ask('release-once', release, id)),
    abandon: async (id: string): Promise<void> => void (await ask('abandon-once', abandon, id)),
  };
};

/** A concurrent call waits for the first one's transaction, and then finds its row. */
const end = `insert into done_once (id, expires_at, response) values ($1, $2, '') on conflict do nothing`;

const ended = 'select from done_once where id = $1';

const begun = ['expires_at', 'token_key_id', 'fingerprint', 'salt', 'begun_at'];
const anew = begun.map(
  (name) => `${name} = case when kept.expires_at <= $6 then excluded.${name} else kept.${name} end`,
);

const columns = `
  id, token_key_id as "tokenKeyId", coalesce(fingerprint, '') as fingerprint, coalesce(salt, '') as salt, begun_at as "begunAt",
  case when response_until <= $6 then '' else response end as response`;

/** What has expired begins anew; what had no answer for too long goes on with its row. */
const claim = `
  with mine as (
    insert into done_once as kept (id, expires_at, token_key_id, fingerprint, salt, begun_at, running_until)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (id) do update set
      ${anew.join(', ')}, running_until = excluded.running_until, response = null, response_until = null
    where kept.expires_at <= $6
       or (kept.response is null and kept.running_until <= $6 and kept.fingerprint = any($8::bytea[]))
    returning *)
  select ${columns}, true as "isMine" from mine
  union all
  select ${columns}, false from done_once where id = $1 and not exists (select from mine)`;

const answer = 'update done_once set response = $2, response_until = $3 where id = $1 and response is null';
const release = 'delete from done_once where id = $1 and response is null';
const abandon = 'update done_once set running_until = 0 where id = $1 and running_until is not null';
