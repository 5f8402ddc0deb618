import type { Pool } from 'pg';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Ends an interaction for all instances. @returns false when it had already ended */
export type EndInteraction = (id: string, expiresAt: Instant) => Promise<boolean>;

/** Whether an interaction has ended, before work that only an open one needs; `EndInteraction` decides. */
export type HasEnded = (id: string) => Promise<boolean>;

/** What was sent with a form, and the encrypted response that its sender received. */
export type KeptAnswer = { readonly fingerprint: Uint8Array; readonly response: Uint8Array };

/** The first request with a form claims it, on whichever instance; the others receive what the first one received. */
export type SentForms = {
  /** @param expiresAt until when the form could be sent */
  claim(
    id: string,
    fingerprint: Uint8Array,
    expiresAt: Instant,
    now: Instant,
  ): Promise<'first' | 'under-way' | 'over' | KeptAnswer>;
  /** The form took effect. @param until how long its response is kept */
  keep(id: string, answer: KeptAnswer, until: Instant): Promise<void>;
  /** The form was refused without effect: it may be sent again. */
  release(id: string): Promise<void>;
};

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

export const makeSentForms = ({ pool }: Dependencies): SentForms => ({
  claim: async (id, fingerprint, expiresAt, now) => {
    const values = [id, expiresAt, fingerprint, answerOf(id), now];
    const { rows } = await pool.query<Claimed>({ name: 'claim-form', text: claim, values });
    const [row] = rows;
    if (row?.isFirst) return 'first';
    if (row?.fingerprint && row.response) return { fingerprint: row.fingerprint, response: row.response };
    return row?.isOver ? 'over' : 'under-way';
  },
  keep: async (id, { fingerprint, response }, until) => {
    const values = [id, answerOf(id), until, fingerprint, response];
    await pool.query({ name: 'keep-answer', text: keep, values });
  },
  release: async (id) => {
    await pool.query({
      name: 'release-form',
      text: 'delete from ended_interactions where id = $1',
      values: [id],
    });
  },
});

const answerOf = (id: string): string => `answer ${id}`;

type Claimed = {
  readonly isFirst: boolean;
  readonly isOver: boolean;
  readonly fingerprint: Buffer | null;
  readonly response: Buffer | null;
};

/** A concurrent call waits for the first one's transaction, and then finds its row. */
const end = 'insert into ended_interactions (id, expires_at) values ($1, $2) on conflict do nothing';

const ended = 'select from ended_interactions where id = $1';

/** A row that was committed after the statement began is not seen: then the form is under way. */
const claim = `
  with claimed as (
    insert into ended_interactions (id, expires_at, fingerprint) values ($1, $2, $3) on conflict do nothing returning id)
  select exists (select from claimed) as "isFirst",
         sent.id is not null and sent.fingerprint is null as "isOver",
         answer.fingerprint, answer.response
  from (select) as once
  left join ended_interactions as sent on sent.id = $1
  left join ended_interactions as answer on answer.id = $4 and answer.expires_at > $5`;

const keep = `
  with over as (update ended_interactions set fingerprint = null where id = $1)
  insert into ended_interactions (id, expires_at, fingerprint, response) values ($2, $3, $4, $5) on conflict do nothing`;
