import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { cpuOfChildren } from '../cpu.ts';
import { load } from '../load.ts';
import { percentile } from '../percentile.ts';
import { refreshing } from '../token-steps.ts';
import { result, type Result } from '../results.ts';
import { openInstance } from '../revocation/instance.ts';
import { startStage, type Stage } from '../revocation/stage.ts';
import { decide } from '../rotations/decide.ts';
import { crowdName, type Decided, decisionName, decisions, ending, lasting } from '../rotations/names.ts';
import { rotate, type Held } from '../rotations/rotated-grant.ts';
import { pairsOf } from '../rotations/seeded-pairs.ts';
import { tell } from '../tell.ts';

type Options = {
  /** How often grants were refreshed before, in ascending order. */
  readonly rotations: readonly number[];
  /** Number of decisions that do not end a grant; those that end it have fewer samples. */
  readonly samples: number;
  /** Number of connections that refresh in turn: few and many. */
  readonly crowds: readonly [number, number];
  /** Number of measured refreshes for each of them. */
  readonly refreshes: number;
};

/**
 * The cost of a decision after many rotations compared with one (GR-01), and of a refresh among many connections
 * compared with few.
 */
export const measureRotations = async ({
  rotations,
  samples,
  crowds,
  refreshes,
}: Options): Promise<readonly Result[]> => {
  tell('seeding grants');
  const stage = await startStage([rotations.length * (1 + ends * ending.length), ...crowds]);
  try {
    // These come first: otherwise the projector would still process the events of the rotations.
    const ofCrowds = await measureCrowds(stage, crowds, refreshes);
    return [...(await measureDecisions(stage, { rotations, samples })), ...ofCrowds];
  } finally {
    await stage.close();
  }
};

/** How many grants of each rotation count are used for each ending. */
const ends = 5;

/**
 * Decided by an instance with an empty grant cache. Rotation counts alternate, so that other load of the machine
 * affects all of them.
 */
const measureDecisions = async (
  stage: Stage,
  { rotations, samples }: Pick<Options, 'rotations' | 'samples'>,
): Promise<readonly Result[]> => {
  const { databaseUrl, eventStoreUrl, env, clientId } = stage;
  const config = readConfig({ ...env, GRANT_CACHE_SIZE: '0' });
  const cold = await composeService(config, { databaseUrl, eventStoreUrl }, pino({ level: 'warn' }));
  try {
    const grantIds = [...(stage.activations[0]?.grantIds ?? [])];
    const grown = async (count: number): Promise<Held> => rotate(stage.core, grantIds.pop() ?? '', count);
    const took = new Map<string, number[]>();
    const time = async (decided: Decided, count: number, held: Held): Promise<Held> => {
      const began = performance.now();
      const then = await decide(cold, clientId, decided, held);
      const name = decisionName(decided, count);
      took.set(name, [...(took.get(name) ?? []), performance.now() - began]);
      return then;
    };
    tell('appending rotations');
    const alive = new Map<number, Held>();
    for (const count of rotations) alive.set(count, await grown(count));
    for (let n = 0; n < samples; n += 1)
      for (const decided of lasting)
        for (const [count, held] of alive) alive.set(count, await time(decided, count, held));
    for (const decided of ending) {
      const each = new Map<number, Held[]>();
      for (const count of rotations)
        each.set(count, await Promise.all(Array.from({ length: ends }, () => grown(count))));
      // Until all codes have expired, and PostgreSQL has analyzed what was appended.
      await delay(70_000);
      for (let n = 0; n < ends; n += 1)
        for (const [count, held] of each) await time(decided, count, held[n] as Held);
    }
    const p50 = (decided: Decided, count: number) =>
      percentile(took.get(decisionName(decided, count)) ?? [], 0.5);
    const [least = 0] = rotations;
    return decisions.flatMap((decided) =>
      rotations.map((count) =>
        result(
          decisionName(decided, count),
          p50(decided, count),
          'ms',
          took.get(decisionName(decided, count))?.length ?? 0,
          count === least ? null : p50(decided, least),
        ),
      ),
    );
  } finally {
    await cold.close();
  }
};

/** Waits until background readers of the log, such as the history index, are idle. */
const atRest = async (): Promise<void> => {
  let then = -1;
  while (cpuOfChildren() - then > 0.1) {
    then = cpuOfChildren();
    await delay(1_000);
  }
};

/** CPU of the service and its servers for a refresh, with the default cache, after every connection had one turn. */
const measureCrowds = async (
  stage: Stage,
  crowds: readonly [number, number],
  refreshes: number,
): Promise<readonly Result[]> => {
  const instance = await openInstance(stage.env);
  try {
    const crowd = async (index: number, size: number) => {
      const pairs = await pairsOf(stage.core, stage.activations[index]?.grantIds ?? []);
      const step = refreshing(
        stage,
        pairs.map(({ refreshToken }) => refreshToken),
      );
      const goRound = (amount: number) =>
        load({ baseUrl: instance.baseUrl, inFlight: 16, amount, expect: 200, step });
      tell(`${size} connections`);
      await goRound(size);
      return async (): Promise<number> => {
        await atRest();
        const before = cpuOfChildren();
        await goRound(refreshes);
        return ((cpuOfChildren() - before) / refreshes) * 1e6;
      };
    };
    const [ofFew, ofMany] = [await crowd(1, crowds[0]), await crowd(2, crowds[1])];
    // In this order, so that other load of the machine affects both.
    const costs = [await ofFew(), await ofMany(), await ofMany(), await ofFew()];
    const [first = 0, second = 0, third = 0, last = 0] = costs;
    const [few, many] = [(first + last) / 2, (second + third) / 2];
    tell(`${costs.map(Math.round).join(', ')} µs a refresh`);
    return [
      result(crowdName(crowds[0]), few, 'µs', 2 * refreshes),
      result(crowdName(crowds[1]), many, 'µs', 2 * refreshes, few),
    ];
  } finally {
    await instance.stop();
  }
};
