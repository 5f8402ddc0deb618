import { until } from '../../../../src/embedded/until.ts';
import { activationSubject } from '../../../../src/domain/fence/fence.ts';
import { epochKey } from '../log-watch.ts';
import type { Round } from '../round.ts';
import { writeFenceStatement } from '../../../../src/projections/fence/fence-statement.ts';
import type { Stage } from '../stage.ts';
import { holdProjector } from './projector-stopped.ts';
import { AttackFailed, type Struck, type Variant } from './variant.ts';

const excuses = () => ({ unavailable: true, lostAt: 0 }) as const;

/** The deactivating instance is killed when its event is in the log, and its write to the fence cannot have passed. */
export const killedAfterAppend: Variant = {
  excuses,
  strike: (stage, rounds, random) =>
    killWhen(stage, rounds, random, { frozen: 'requests', isReached: () => isAppended(stage, rounds) }),
};

/**
 * … when the fence is closed, and the instance cannot have heard of it. It opens no new connection while PostgreSQL says
 * nothing: of what finds none open, the kill comes before the fence.
 */
export const killedAfterFence: Variant = {
  excuses,
  strike: (stage, rounds, random) =>
    killWhen(stage, rounds, random, {
      frozen: 'answers',
      isReached: async () => {
        if (!(await isAppended(stage, rounds))) return false;
        if (!(await until(async () => (await fenced(stage, rounds)) > 0, patience))) return false;
        await until(async () => (await fenced(stage, rounds)) === rounds.length, patienceForAll);
        return true;
      },
    }),
};

const patience = 60_000;
const patienceForAll = 500;

/** The name of the one statement that writes the fence. */
export const fenceWrite = writeFenceStatement([]).name;

type Point = {
  /** What does not pass between the instance and PostgreSQL, from the first write to the fence on. */
  readonly frozen: 'requests' | 'answers';
  readonly isReached: () => Promise<boolean>;
};

/**
 * Nobody was answered; whoever asks again, at the other instance, is. Half of the time no projector helps. The reaction
 * to an earlier deactivation may be the first to write the fence: what a deactivation reads before (a person's key,
 * remembered for a minute) is read by then.
 */
const killWhen = async (
  stage: Stage,
  rounds: readonly Round[],
  random: () => number,
  { frozen, isReached }: Point,
): Promise<Struck> => {
  const release = random() < 0.5 ? await holdProjector(stage) : () => Promise.resolve();
  await Promise.all(rounds.map((round) => round.warm(0)));
  stage.proxy.freezeFrom(fenceWrite, frozen);
  const asked = Promise.all(rounds.map((round) => round.deactivate(0)));
  const reached = await isReached();
  for (const round of rounds) round.avoid(0);
  await stage.kill(0);
  await asked;
  const ended = await Promise.all(rounds.map((round) => round.insist(1)));
  if (!reached || ended.includes(false)) throw new AttackFailed('the kill came at another point');
  await release(); // a start waits until the fence is what the log says
  await stage.restart(0);
  return { recover: () => Promise.resolve() };
};

const isAppended = ({ watch }: Stage, rounds: readonly Round[]): Promise<boolean> =>
  watch.until(() =>
    rounds.every(({ pair, epoch }) =>
      watch.deactivations.has(epochKey(pair.organizationId, pair.addonId, epoch)),
    ),
  );

const fenced = async ({ database }: Stage, rounds: readonly Round[]): Promise<number> => {
  const subjects = rounds.map(({ pair }) => activationSubject(pair.organizationId, pair.addonId));
  const { rowCount } = await database.query('select from fence where subject = any($1) and not open', [
    subjects,
  ]);
  return rowCount ?? 0;
};
