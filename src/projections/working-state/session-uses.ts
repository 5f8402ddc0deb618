import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import type { Pool } from 'pg';
import type { SessionUse, SessionUses } from '../../domain/sign-in/session.ts';

type Dependencies = {
  readonly pool: Pick<Pool, 'query'>;
  readonly inBackground: (work: Promise<unknown>) => void;
};

/** In milliseconds: how often the use of one session is stored. */
const every = 60_000;

/** Sessions whose last note this instance remembers; the statement itself writes nothing too early. */
const mostRemembered = 10_000;

export const makeSessionUses = ({ pool, inBackground }: Dependencies): SessionUses => {
  const noted = new LRUCache<string, number>(growing(mostRemembered));
  return {
    note(use) {
      const { sessionId, userId, startedAt, expiresAt, lastSeenAt } = use;
      const last = noted.get(sessionId);
      if (last !== undefined && lastSeenAt < last + every) return Promise.resolve();
      noted.set(sessionId, lastSeenAt);
      const stored = pool.query({
        name: 'note-session-use',
        text: note,
        values: [sessionId, userId, startedAt, expiresAt, lastSeenAt, every],
      });
      inBackground(stored);
      return stored.then(
        () => undefined,
        () => void noted.delete(sessionId),
      );
    },
    async of(userId, now, latest) {
      const { rows } = await pool.query<Row>({
        name: 'session-uses',
        text: select,
        values: [userId, now, latest],
      });
      return rows.map((row) => ({
        sessionId: row.sessionId,
        userId,
        startedAt: Number(row.startedAt),
        expiresAt: Number(row.expiresAt),
        lastSeenAt: Number(row.lastSeenAt),
      }));
    },
    async has(sessionId) {
      const { rows } = await pool.query('select 1 from session_uses where session_id = $1', [sessionId]);
      return rows.length > 0;
    },
  };
};

type Row = { readonly [K in keyof SessionUse]: string };

/** Instances may note the same minute: the second one changes nothing. */
const note = `
  insert into session_uses (session_id, user_id, started_at, expires_at, last_seen_at)
  values ($1, $2, $3, $4, $5)
  on conflict (session_id) do update set last_seen_at = excluded.last_seen_at
  where session_uses.last_seen_at <= excluded.last_seen_at - $6::bigint`;

const columns = `session_id as "sessionId", started_at as "startedAt", expires_at as "expiresAt", last_seen_at as "lastSeenAt"`;

const select = `
  (select ${columns} from session_uses where user_id = $1 and expires_at > $2 order by last_seen_at desc limit 100)
  union
  (select ${columns} from session_uses where user_id = $1 order by started_at desc limit $3)`;
