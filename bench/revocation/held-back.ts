import pg from 'pg';

/** The checkpoints whose leaders are held back here. */
export type Worker = 'read-models' | 'revoke-on-deactivation';

export type HeldBack = { release(): Promise<void> };

/**
 * Keeps every instance from leading a worker, by holding the leader's lock (src/projections/leader.ts) in its place: the
 * instances run as they are, and stand by. Waits until whoever leads now lets go.
 */
export const holdBack = async (databaseUrl: string, worker: Worker): Promise<HeldBack> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`set lock_timeout = '30s'`);
  await client.query(`select pg_advisory_lock(hashtextextended('grantbook leader ' || $1, 0))`, [worker]);
  return { release: () => client.end() };
};
