import type { Tx } from '../follow/projection.ts';

/** A database may have several installations, each in its own schema: locks and channels are of the database, so their names have its table. */
const installation = `to_regclass('checkpoints')::oid`;

/** The key of the lock of a leader, as SQL. @param name an SQL expression */
export const leaderLock = (name: string): string =>
  `hashtextextended(concat_ws(' ', 'grantbook leader', ${installation}, ${name}::text), 0)`;

/** The locks that are held, by key. */
const heldLocks = `(
  select pid, (classid::bigint << 32) | objid::bigint as key from pg_locks
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database()))`;

/** The session that holds it; none: nobody leads. */
export const leaderPid = (name: string): string =>
  `(select pid from ${heldLocks} as held where key = ${leaderLock(name)})`;

/** Those of the names in $1 that nobody leads. */
export const namesWithoutLeader = `
  select name from unnest($1::text[]) as name
  where ${leaderLock('name')} not in (select key from ${heldLocks} as held)`;

const channelOf = (channel: string): string => `concat_ws('_', '${channel}', ${installation})`;

/** @param payload an SQL expression */
export const notifyOn = (channel: string, payload: string): string =>
  `pg_notify(${channelOf(channel)}, ${payload})`;

/** @returns the name of the channel in notifications */
export const listenOn = async (tx: Tx, channel: string): Promise<string> => {
  const { rows } = await tx.query<{ name: string }>(`select ${channelOf(channel)} as name`);
  const name = rows[0]?.name ?? channel;
  await tx.query(`listen ${name}`);
  return name;
};
