import pg from 'pg';
import { liveReadModels } from '../../../../src/projections/follow/checkpoint.ts';
import type { Stage } from '../stage.ts';
import { deactivateSometime } from './plain.ts';
import { AttackFailed, type Variant } from './variant.ts';
import { leaderLock } from '../../../../src/projections/database/installation.ts';

/** Nobody projects while the epoch ends, and half of the time not while the next one begins either. */
export const projectorStopped: Variant = {
  excuses: () => ({ unavailable: false, lostAt: null }),
  strike: async (stage, rounds, random) => {
    const release = await holdProjector(stage);
    const before = await checkpoint(stage);
    await Promise.all(rounds.map(deactivateSometime));
    const recover = async () => {
      if ((await checkpoint(stage)) !== before)
        throw new AttackFailed('the projector went on although its lock was held');
      await release();
    };
    if (random() < 0.5) return { recover };
    await recover();
    return { recover: () => Promise.resolve() };
  },
};

const lock = leaderLock('$1');

/**
 * Takes the leader's lock away and keeps it: waits for it in the queue, where no standby that merely tries can overtake,
 * and ends the session that holds it.
 * @returns how to give it back
 */
export const holdProjector = async ({ database }: Stage): Promise<() => Promise<void>> => {
  const { connectionString } = database.options;
  const holder = new pg.Client({ connectionString, application_name: 'attack' });
  holder.on('error', () => undefined); // a run that fails closes the server before its guests
  await holder.connect();
  const held = holder.query(`select pg_advisory_lock(${lock})`, [liveReadModels]);
  let isHeld = false;
  const holding = held.then(() => (isHeld = true));
  while (!isHeld) {
    await database.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and objsubid = 1
         and database = (select oid from pg_database where datname = current_database())
         and (classid::bigint << 32 | objid::bigint) = ${lock}
         and pid not in (select pid from pg_stat_activity where application_name = 'attack')`,
      [liveReadModels],
    );
    await Promise.race([holding, database.query('select pg_sleep(0.005)')]);
  }
  return () => holder.end();
};

const checkpoint = async ({ database }: Stage): Promise<string> => {
  const { rows } = await database.query<{ commit_position: string }>(
    'select commit_position from checkpoints where name = $1',
    [liveReadModels],
  );
  return rows[0]?.commit_position ?? '';
};
