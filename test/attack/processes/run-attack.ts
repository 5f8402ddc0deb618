import { seededRandom } from '../../durability/random.ts';
import { makeCalls } from './calls.ts';
import { startClients, tryEverything, useInPeace } from './clients.ts';
import type { Call } from './history.ts';
import { judgeIssuance, judgeLedger } from './ledger.ts';
import { epochKey } from './log-watch.ts';
import { type AttackOptions, divide, type VariantName } from './options.ts';
import { isWornOut, makePairs, type Pair } from './pair.ts';
import { judgeRound, type Violation } from './referee.ts';
import { activate, beginRound } from './round.ts';
import { type AttackStores, openStage, type Stage } from './stage.ts';
import { droppedReplies } from './variants/dropped-replies.ts';
import { killedAfterAppend, killedAfterFence } from './variants/killed.ts';
import { plain } from './variants/plain.ts';
import { projectorStopped } from './variants/projector-stopped.ts';
import { stoppedInstance } from './variants/stopped-instance.ts';
import type { Variant } from './variants/variant.ts';

const variants: Readonly<Record<VariantName, Variant>> = {
  plain,
  'projector-stopped': projectorStopped,
  'stopped-instance': stoppedInstance,
  'dropped-replies': droppedReplies,
  'killed-after-append': killedAfterAppend,
  'killed-after-fence': killedAfterFence,
};

export type VariantResult = {
  readonly name: VariantName | 'ledger';
  readonly rounds: number;
  readonly requests: number;
  readonly accepted: number;
  readonly violations: readonly Violation[];
  readonly milliseconds: number;
};

/** So many pairs are attacked side by side. */
const pairCount = 8;

/**
 * Plays all rounds on two server processes over these stores, which must be empty. What is random comes from the seed;
 * which request meets which moment of the processes does not.
 * @param report is called with each variant when it has ended
 */
export const runAttack = async (
  stores: AttackStores,
  options: AttackOptions,
  report: (result: VariantResult) => void = () => undefined,
  signal?: AbortSignal,
): Promise<readonly VariantResult[]> => {
  const random = seededRandom(options.seed);
  const stage = await openStage(stores);
  try {
    const cast: Cast = { playing: [], all: [] };
    const results: VariantResult[] = [];
    const tell = (result: VariantResult) => {
      results.push(result);
      report(result);
    };
    const issuing: IssuingCall[] = [];
    for (const [name, rounds] of divide(options))
      if (rounds > 0) tell(await playVariant(stage, cast, { name, rounds, random, signal }, issuing));
    tell(await closeLedger(stage, cast.all, issuing));
    return results;
  } finally {
    await stage.close();
  }
};

export type Cast = { playing: readonly Pair[]; all: readonly Pair[] };

/** New pairs at the beginning, and where those that play are worn out. */
const renew = async (stage: Stage, cast: Cast): Promise<void> => {
  if (cast.playing.length > 0 && !cast.playing.some(isWornOut)) return;
  cast.playing = await makePairs(stage, pairCount);
  cast.all = [...cast.all, ...cast.playing];
  await Promise.all(cast.playing.map((pair) => activateFirst(stage, pair)));
};

/** Kept until the log has been heard to its end. */
export type IssuingCall = { readonly call: Call; readonly pair: Pair };

type Play = {
  readonly name: VariantName;
  readonly rounds: number;
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
};

export const playVariant = async (
  stage: Stage,
  cast: Cast,
  { name, rounds, random, signal }: Play,
  issuing: IssuingCall[],
): Promise<VariantResult> => {
  const began = stage.clock();
  const violations: Violation[] = [];
  let [played, requests, accepted] = [0, 0, 0];
  while (played < rounds && !signal?.aborted) {
    await renew(stage, cast);
    const chosen = cast.playing.slice(0, rounds - played);
    for (const { pair, calls, violations: found } of await playSideBySide(
      stage,
      chosen,
      variants[name],
      random,
    )) {
      violations.push(...found);
      requests += calls.length;
      accepted += calls.filter((call) => call.accepted).length;
      issuing.push(...calls.filter((call) => call.issued && call.accepted).map((call) => ({ call, pair })));
    }
    played += chosen.length;
  }
  return { name, rounds: played, requests, accepted, violations, milliseconds: stage.clock() - began };
};

/** One round of each of these pairs, under one fault that hits all of them. */
export const playSideBySide = async (
  stage: Stage,
  pairs: readonly Pair[],
  variant: Variant,
  random: () => number,
) => {
  const rounds = await Promise.all(
    pairs.map((pair) => beginRound(stage, pair, seededRandom(random() * 2 ** 32))),
  );
  await Promise.all(rounds.map(useInPeace));
  const clients = Promise.all(rounds.map(startClients));
  clients.catch(() => undefined); // when the strike fails, it is the strike's failure that is told
  const { recover } = await variant.strike(stage, rounds, random);
  await clients;
  for (const round of rounds) round.avoidNothing();
  await Promise.all(rounds.map((round) => round.reactivate(round.somewhere())));
  await Promise.all(rounds.map(tryEverything));
  await recover();
  return rounds.map(({ pair, history }) => {
    const seen = history(variant.excuses());
    return { pair, calls: seen.calls, violations: judgeRound(seen) };
  });
};

export const activateFirst = (stage: Stage, pair: Pair): Promise<void> =>
  activate(stage, pair, makeCalls(stage, pair, { calls: [], adminCalls: [] }), 0);

/** Waits for the reaction, then reads what the log says about everything. */
export const closeLedger = async (
  stage: Stage,
  pairs: readonly Pair[],
  issuing: readonly IssuingCall[],
): Promise<VariantResult> => {
  const began = stage.clock();
  const { watch } = stage;
  await watch.until(
    () =>
      pairs.every(({ organizationId, addonId, ends }) =>
        [...ends.keys()].every((epoch) => watch.completions.has(epochKey(organizationId, addonId, epoch))),
      ),
    60_000,
  );
  const end = await stage.mark();
  if (!end.ok || !end.value.position) throw new Error('the end of the run could not be marked');
  const { position } = end.value;
  if (!(await watch.until(() => watch.heard(position)))) throw new Error('the log was not heard to its end');
  const violations = [
    ...issuing.flatMap(({ call, pair }) => judgeIssuance(call, pair.ends, watch)),
    ...pairs.flatMap((pair) => judgeLedger(pair, watch)),
  ];
  const milliseconds = stage.clock() - began;
  return { name: 'ledger', rounds: 0, requests: 0, accepted: 0, violations, milliseconds };
};
