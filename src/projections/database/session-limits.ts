import { DatabaseError, type Client } from 'pg';
import type { LeadershipBounds } from '../leadership/leadership-bounds.ts';
import type { Logger } from './pipelined-reader.ts';

/** Settings by which the server ends a session whose client is silent, or gone without a message. */
const limitsOf = ({ silenceMs, statementMs }: LeadershipBounds): Readonly<Record<string, number>> => ({
  // A stopped process, a lost host, a cut network: all of them are silent.
  idle_session_timeout: silenceMs,
  idle_in_transaction_session_timeout: silenceMs,
  // A statement that hangs, for example waiting for a lock, does not count as silence.
  statement_timeout: statementMs,
  // A long statement is ended when its client is gone.
  client_connection_check_interval: Math.ceil(silenceMs / 3),
  tcp_keepalives_idle: 1,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: Math.ceil(silenceMs / 1000) - 1,
});

type Dependencies = { readonly name: string; readonly bounds: LeadershipBounds; readonly logger: Logger };

/**
 * A setting that the server lacks is left out with a warning: a hung leader is then detected later or never.
 * @throws when the connection is lost
 */
export const limitSession = async (client: Client, { name, bounds, logger }: Dependencies): Promise<void> => {
  const limits = Object.entries(limitsOf(bounds));
  const set = await setAll(client, limits).catch(ifRefused(() => setEach(client, limits)));
  const missing = limits.map(([setting]) => setting).filter((setting) => !set.includes(setting));
  if (missing.length > 0)
    logger.warn(
      { checkpoint: name, missing },
      'the database server has no such limit: a hung leader is detected later, or not at all',
    );
};

type Limits = readonly (readonly [setting: string, value: number])[];

/** The settings that the server knows. @throws when it knows one but cannot use it, as on some platforms */
const setAll = async (client: Client, limits: Limits): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select name, set_config(name, value, false)
     from pg_settings join jsonb_each_text($1) as wanted (name, value) using (name)`,
    [Object.fromEntries(limits)],
  );
  return rows.map((row) => row.name);
};

const setEach = async (client: Client, limits: Limits): Promise<readonly string[]> => {
  const set: string[] = [];
  for (const limit of limits) set.push(...(await setAll(client, [limit]).catch(ifRefused(() => []))));
  return set;
};

/** Whether the server has answered a statement with an error, and still has the session. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DatabaseError && error.severity !== 'FATAL';

const ifRefused =
  <T>(otherwise: () => T) =>
  (error: unknown): T => {
    if (!isRefusal(error)) throw error;
    return otherwise();
  };
