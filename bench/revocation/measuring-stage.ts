import pg from 'pg';
import { holdBack, type Worker } from './held-back.ts';
import { openInstance, type OpenInstance } from './instance.ts';
import { startStage, type SeededActivation, type Stage } from './stage.ts';

/** A stage with the helpers that the measures share. */
export type Ground = {
  readonly stage: Stage;
  readonly pool: pg.Pool;
  /** The activation with this many live tokens. */
  activation(size: number): SeededActivation;
  /** Runs `work` with one instance of the service, whose `heldBack` workers stay on standby. */
  withInstance<T>(heldBack: readonly Worker[], work: (instance: OpenInstance) => Promise<T>): Promise<T>;
  /** Moves the reaction past all deactivations so far. Only while no instance runs. */
  nothingToReactTo(): Promise<void>;
  close(): Promise<void>;
};

export const openGround = async (sizes: readonly number[]): Promise<Ground> => {
  const stage = await startStage(sizes);
  const pool = new pg.Pool({ connectionString: stage.databaseUrl, max: 4 });
  pool.on('error', () => undefined);
  return {
    stage,
    pool,
    activation(size) {
      const found = stage.activations[sizes.indexOf(size)];
      if (!found) throw new Error(`no activation with ${size} live tokens was seeded`);
      return found;
    },
    async withInstance(heldBack, work) {
      const held = await Promise.all(heldBack.map((worker) => holdBack(stage.databaseUrl, worker)));
      try {
        const instance = await openInstance(stage.env);
        try {
          await standingBy(instance, heldBack);
          return await work(instance);
        } finally {
          await instance.stop();
        }
      } finally {
        await Promise.all(held.map((each) => each.release()));
      }
    },
    async nothingToReactTo() {
      const head = await stage.core.store.head();
      if (!head) throw new Error('the log is empty');
      await pool.query(
        `update checkpoints set commit_position = $1, prepare_position = $2 where name = 'revoke-on-deactivation'`,
        [head.commit, head.prepare],
      );
    },
    async close() {
      await pool.end();
      await stage.close();
    },
  };
};

/** Verifies the standby role: otherwise the worker would be measured, too. */
const standingBy = async (instance: OpenInstance, heldBack: readonly Worker[]): Promise<void> => {
  if (heldBack.includes('revoke-on-deactivation')) await instance.waitForRole('revocations', 'standby');
  await instance.waitForRole('projector', heldBack.includes('read-models') ? 'standby' : 'leading');
};
