import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction } from '../../common/transaction.ts';
import type { Instant } from '../../domain/kernel/decision.ts';

/** How far an answer is: how many events were read, and up to which time of the log (null: none yet). */
export type Preparing = { readonly events: number; readonly upTo: number | null };

/** An answer that some instance computes, or has computed. */
export type PreparedAnswer = {
  readonly holder: string;
  /** Those whose question was recorded. */
  readonly askers: readonly string[];
  readonly progress: Preparing;
  readonly expiresAt: Instant;
  readonly tokenKeyId: string | null;
  /** Null: not yet. */
  readonly answer: Uint8Array | null;
};

type Claim = {
  readonly id: string;
  readonly by: string;
  readonly holder: string;
  readonly now: Instant;
  readonly heldUntil: Instant;
  readonly expiresAt: Instant;
  readonly most: number;
  readonly mostForOne: number;
};

export type PreparedAnswers = ReturnType<typeof makePreparedAnswers>;

/** Long answers of all instances. May be emptied at any time: whoever waits begins anew. */
export const makePreparedAnswers = ({ pool }: { readonly pool: Pool }) => {
  const changes = async (name: string, text: string, values: readonly unknown[]): Promise<boolean> =>
    (await pool.query({ name: `${name}-prepared-answer`, text, values: [...values] })).rowCount === 1;
  return {
    /** Null: nobody computes it, and nobody has. */
    find: (id: string, now: Instant): Promise<PreparedAnswer | null> => find(pool, id, now),
    /** Of all who ask at once, one begins; null where no more may be computed at once, for all or for the one who asks. */
    claim: (claim: Claim): Promise<PreparedAnswer | null> =>
      inPoolTransaction(pool, async (client) => {
        await client.query('lock table prepared_answers in share row exclusive mode'); // slots are counted one by one
        const known = await find(client, claim.id, claim.now);
        if (known) return known;
        const { id, by, holder, now, heldUntil, expiresAt, most, mostForOne } = claim;
        const values = [id, by, holder, now, heldUntil, expiresAt, most, mostForOne];
        const { rows } = await client.query<Stored>({ name: 'claim-prepared-answer', text: take, values });
        return rows[0] ? rowOf(rows[0]) : null;
      }),
    /** Somebody waits for it until then. */
    want: (id: string, until: Instant) => changes('want', want, [id, until]),
    recorded: (id: string, asker: string) => changes('recorded', recorded, [id, asker]),
    /** @returns false where the computation has to stop: nobody waits, another one took over, or it must not be given any more */
    renew: (
      { id, holder, now, heldUntil }: Pick<Claim, 'id' | 'holder' | 'now' | 'heldUntil'>,
      { events, upTo }: Preparing,
    ) => changes('renew', renew, [id, holder, now, heldUntil, events, upTo]),
    /** Nothing happens where the computation should have stopped. */
    answer: (
      { id, holder, expiresAt }: Pick<Claim, 'id' | 'holder' | 'expiresAt'>,
      { tokenKeyId, answer }: { readonly tokenKeyId: string; readonly answer: Uint8Array },
    ) => changes('answer', answered, [id, holder, tokenKeyId, answer, expiresAt]),
    release: (id: string, holder: string) => changes('release', release, [id, holder]),
  };
};

type Stored = Omit<PreparedAnswer, 'progress' | 'expiresAt'> & {
  readonly expiresAt: string;
  readonly events: string;
  readonly upTo: string | null;
};

const rowOf = ({ expiresAt, events, upTo, ...row }: Stored): PreparedAnswer => ({
  ...row,
  expiresAt: Number(expiresAt),
  progress: { events: Number(events), upTo: upTo === null ? null : Number(upTo) },
});

const find = async (on: Pick<Pool, 'query'> | PoolClient, id: string, now: Instant) => {
  const { rows } = await on.query<Stored>({ name: 'prepared-answer', text: select, values: [id, now] });
  return rows[0] ? rowOf(rows[0]) : null;
};

const columns = `holder, askers, events, up_to as "upTo", expires_at as "expiresAt", token_key_id as "tokenKeyId", answer`;

const select = `
  select ${columns} from prepared_answers
  where id = $1 and expires_at > $2 and (answer is not null or held_until > $2)`;

/** Of a question that somebody still waits for, those who are in the log as asking stay. */
const take = `
  insert into prepared_answers as kept (id, asked_by, holder, held_until, expires_at)
  select $1, $2, $3, $5, $6
  from (select count(*) as of_all, count(*) filter (where asked_by = $2) as of_one from prepared_answers
        where answer is null and held_until > $4 and expires_at > $4) as running
  where of_all < $7 and of_one < $8
  on conflict (id) do update set
    asked_by = excluded.asked_by, holder = excluded.holder, held_until = excluded.held_until, expires_at = excluded.expires_at,
    askers = case when kept.answer is null and kept.expires_at > $4 then kept.askers else '{}' end,
    events = 0, up_to = null, token_key_id = null, answer = null
  returning ${columns}`;

const want = `
  update prepared_answers set expires_at = $2 where id = $1 and answer is null and expires_at < $2`;

const recorded = `
  update prepared_answers set askers = array_append(askers, $2) where id = $1 and $2 <> all(askers)`;

const renew = `
  update prepared_answers set held_until = $4, events = $5, up_to = $6
  where id = $1 and holder = $2 and expires_at > $3`;

const answered = `
  update prepared_answers set token_key_id = $3, answer = $4, expires_at = $5 where id = $1 and holder = $2`;

const release = 'delete from prepared_answers where id = $1 and holder = $2';
