import { activationSubject } from '../../../../src/domain/fence/fence.ts';
import { until } from '../../../../src/embedded/until.ts';
import type { Round } from '../round.ts';
import type { Stage } from '../stage.ts';
import { deactivateSometime } from './plain.ts';
import { holdProjector } from './projector-stopped.ts';
import { AttackFailed, type Variant } from './variant.ts';

/** A rebuild of the fence. */
export type LaggingRebuild = {
  /** @returns the schema of what was built, or brought forward */
  readonly build: () => Promise<string>;
  readonly takeOver: (schema: string) => Promise<void>;
};

/**
 * A rebuild of the fence has read the log before the deactivations, and takes over when they have been answered. Nobody else
 * writes meanwhile: no projector repeats what was deactivated, no reaction has revoked anything.
 */
export const lagging = ({ build, takeOver }: LaggingRebuild): Variant => ({
  excuses: () => ({ unavailable: true, lostAt: null }),
  strike: async (stage, rounds) => {
    let schema = '';
    const isOpen = async () => (await openIn(stage, (schema = await build()), rounds)) === rounds.length;
    if (!(await until(isOpen, patience))) throw new AttackFailed('the rebuild never came to the activations');
    const release = await holdProjector(stage);
    await Promise.all(rounds.map(deactivateSometime));
    await takeOver(schema);
    await Promise.all(
      rounds.flatMap(({ grants, calls }) =>
        grants.used.flatMap((grant) =>
          ([0, 1] as const).map(async (place) => {
            const tokens = grant.pairs.at(-1);
            if (tokens) await calls.bearer('list', place, grant, tokens);
          }),
        ),
      ),
    );
    return { recover: release };
  },
});

const patience = 60_000;

const openIn = async ({ database }: Stage, schema: string, rounds: readonly Round[]): Promise<number> => {
  const subjects = rounds.map(({ pair }) => activationSubject(pair.organizationId, pair.addonId));
  const text = `select from ${schema}.fence where subject = any($1) and open`;
  return (await database.query(text, [subjects])).rowCount ?? 0;
};
