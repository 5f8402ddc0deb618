import type { Client } from 'pg';
import type { LeadershipBounds } from './leadership-bounds.ts';
import type { Logger } from './pipelined-reader.ts';

/** What the server is told to do about a session whose other end is silent, or gone without a word. */
const limitsOf = ({ silenceMs, statementMs }: LeadershipBounds): Readonly<Record<string, number>> => ({
  // A stopped process, a lost host, a cut network: all of them are silent.
  idle_session_timeout: silenceMs,
  idle_in_transaction_session_timeout: silenceMs,
  // A statement that hangs, as one that waits for a lock, is not silence.
  statement_timeout: statementMs,
  // Nobody is there any more to read what a long statement comes to.
  client_connection_check_interval: Math.ceil(silenceMs / 3),
  tcp_keepalives_idle: 1,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: Math.ceil(silenceMs / 1000) - 1,
});

type Dependencies = { readonly name: string; readonly bounds: LeadershipBounds; readonly logger: Logger };

/** What a server does not have is left out with a warning: without it a hung leader is detected later, or not at all. */
export const limitSession = async (client: Client, { name, bounds, logger }: Dependencies): Promise<void> => {
  const limits = Object.entries(limitsOf(bounds));
  const set = await setAll(client, limits).catch(() => setEach(client, limits));
  const missing = limits.map(([setting]) => setting).filter((setting) => !set.includes(setting));
  if (missing.length > 0)
    logger.warn(
      { checkpoint: name, missing },
      'the database server has no such limit: a hung leader is detected late',
    );
};

type Limits = readonly (readonly [setting: string, value: number])[];

/** Those that the server knows. @throws when it knows one and has no use for it, as on some platforms */
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
  for (const limit of limits) set.push(...(await setAll(client, [limit]).catch(() => [])));
  return set;
};
