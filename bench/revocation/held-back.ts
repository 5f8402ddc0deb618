import pg from 'pg';

/** The checkpoints whose workers can be held back. */
export type Worker = 'read-models' | 'revoke-on-deactivation';

export type HeldBack = { release(): Promise<void> };

/**
 * Keeps every instance from becoming leader of a worker, by holding the leader lock (src/projections/leadership/leader.ts):
 * unmodified instances stay on standby. Waits until the current leader releases it.
 */
export const holdBack = async (databaseUrl: string, worker: Worker): Promise<HeldBack> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`set lock_timeout = '30s'`);
  await client.query(`select pg_advisory_lock(hashtextextended('grantbook leader ' || $1, 0))`, [worker]);
  return { release: () => client.end() };
};
