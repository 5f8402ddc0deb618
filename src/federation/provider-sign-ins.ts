import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import type { ProviderSessions, SessionAtProvider } from '../commands/sign-in/dependencies.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { decrypt, encrypt } from '../common/aes-gcm.ts';

/** What is kept between two requests, for all instances. */
export type ProviderSignIns = ProviderSessions & {
  /** Keeps what belongs to a `state` while the user is at the provider. */
  keep(
    state: string,
    value: object,
    until: { readonly expiresAt: Instant; readonly network: string },
  ): Promise<void>;
  /** Once, on whichever instance. Null when it was taken before, has expired, or never was. */
  take(state: string): Promise<object | null>;
  /** The newest that is kept under one of these, and it stays there. */
  find(states: readonly string[]): Promise<object | null>;
  /** The provider's id_token of a session; null when it is not known any more. */
  idTokenOf(sessionId: string): Promise<string | null>;
};

type Dependencies = {
  readonly pool: Pool;
  /** 32 bytes each, the same on all instances. The first encrypts; what others encrypted is still read. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly now: () => Instant;
};

/** What a network has more of at once loses the oldest: nobody else can use them up. */
export const keptForNetwork = 1_000;

/** A longer one does not fit into the address of a sign-out page. In characters. */
const longestHint = 8_000;

export const makeProviderSignIns = ({ pool, keys, now }: Dependencies): ProviderSignIns => {
  const context = (id: string) => `provider_sign_ins ${id}`;
  const sealed = (id: string, value: object) =>
    encrypt(keys[0], context(id), Buffer.from(JSON.stringify(value)));
  const opened = (id: string, kept: Uint8Array): object | null => {
    for (const key of keys) {
      const plain = decrypt(key, context(id), kept);
      if (plain) return JSON.parse(plain.toString()) as object;
    }
    return null;
  };
  const digest = (key: Uint8Array, issuer: string, kind: string, value: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([issuer, kind, value]))
      .digest('base64url');
  /** Under every key: a session may have begun before the keys were rotated. */
  const digests = (issuer: string, kind: string, value: string) =>
    keys.map((key) => digest(key, issuer, kind, value));
  const subjectKey = ({ issuer, subject }: SessionAtProvider) => digest(keys[0], issuer, 'sub', subject);

  return {
    keep: async (state, value, { expiresAt, network }) => {
      await pool.query({
        name: 'keep-provider-sign-in',
        text: keep,
        values: [state, sealed(state, value), expiresAt, digest(keys[0], 'network', 'of', network)],
      });
    },
    take: async (state) => {
      const { rows } = await pool.query<{ kept: Uint8Array }>({
        name: 'take-provider-sign-in',
        text: `delete from provider_sign_ins where id = $1 and expires_at > $2 and subject is null returning kept`,
        values: [state, now()],
      });
      return rows[0] ? opened(state, rows[0].kept) : null;
    },
    find: async (states) => {
      const { rows } = await pool.query<{ id: string; kept: Uint8Array }>({
        name: 'find-provider-sign-in',
        text: `select id, kept from provider_sign_ins where id = any($1) and expires_at > $2 and subject is null
          order by expires_at desc limit 1`,
        values: [states, now()],
      });
      return rows[0] ? opened(rows[0].id, rows[0].kept) : null;
    },
    note: async (sessionId, { idToken, userId, expiresAt, ...at }) => {
      const sid = at.sid === null ? null : digest(keys[0], at.issuer, 'sid', at.sid);
      await pool.query({
        name: 'note-provider-session',
        text: `insert into provider_sign_ins (id, kept, sid, subject, expires_at) values ($1, $2, $3, $4, $5)`,
        values: [
          sessionId,
          sealed(sessionId, { userId, idToken: idToken.length > longestHint ? null : idToken }),
          sid,
          subjectKey(at),
          expiresAt,
        ],
      });
    },
    hasEnded: async (sessionId) => {
      const { rows } = await pool.query<{ ended: boolean }>({
        name: 'provider-session-ended',
        text: 'select ended from provider_sign_ins where id = $1',
        values: [sessionId],
      });
      return rows[0]?.ended ?? false;
    },
    end: async ({ issuer, sid, subject }) => {
      // Fails closed: a `sid` may be one that no session here knows.
      const text = `update provider_sign_ins set ended = true
        where sid = any($1) or (subject = any($2) and (sid is null or $3)) returning id, kept`;
      const { rows } = await pool.query<{ id: string; kept: Uint8Array }>(text, [
        sid === null ? [] : digests(issuer, 'sid', sid),
        subject === null ? [] : digests(issuer, 'sub', subject),
        sid === null,
      ]);
      return rows.map(({ id, kept }) => {
        const value = opened(id, kept) as { readonly userId?: string } | null;
        return { sessionId: id, userId: value?.userId ?? null };
      });
    },
    idTokenOf: async (sessionId) => {
      const { rows } = await pool.query<{ kept: Uint8Array }>({
        name: 'provider-id-token',
        text: 'select kept from provider_sign_ins where id = $1',
        values: [sessionId],
      });
      const value = rows[0] ? opened(sessionId, rows[0].kept) : null;
      return (value as { readonly idToken?: string | null } | null)?.idToken ?? null;
    },
  };
};

const keep = `
  with oldest as (
    select id from provider_sign_ins where network = $4 order by expires_at desc offset ${keptForNetwork - 1}),
  removed as (delete from provider_sign_ins where id in (select id from oldest))
  insert into provider_sign_ins (id, kept, expires_at, network) values ($1, $2, $3, $4)
  on conflict (id) do nothing`;
