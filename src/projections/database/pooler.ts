import type { Client, ClientConfig } from 'pg';
import { withClient } from '../../common/with-client.ts';

/**
 * Whether two statements of a connection may reach two sessions of the server: a pooler gives its session to whoever begins a transaction
 * in between, or to nobody twice. @throws SessionsNotKept
 */
export const refuseLostSessions = (config: ClientConfig): Promise<void> =>
  withClient(config, (one) =>
    withClient(config, async (other) => {
      const first = await sessionOf(one);
      await other.query('begin').catch((error: unknown) => {
        // PgBouncer's words in statement mode; its code is that of a full pool, too.
        throw /statement pooling/.test((error as Error).message) ? new SessionsNotKept() : error;
      });
      if ((await sessionOf(other)) === first || (await sessionOf(one)) !== first) throw new SessionsNotKept();
    }),
  );

const sessionOf = async (client: Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

export const needsSessions =
  'leaders, notifications and prepared statements need sessions. Let DATABASE_URL lead to PostgreSQL itself, or set pool_mode=session for its database';

/** What answers at DATABASE_URL gives a session to several connections in turn. */
export class SessionsNotKept extends Error {
  override readonly name = 'SessionsNotKept';
  readonly code = 'pooler';
  constructor() {
    super(
      `DATABASE_URL leads to a pooler that keeps no sessions, such as PgBouncer in transaction mode: ${needsSessions}`,
    );
  }
}
