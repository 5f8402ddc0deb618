import pMap from 'p-map';
import type { Call, Place } from '../attack/processes/history.ts';
import { epochKey } from '../attack/processes/log-watch.ts';
import { makeCode } from '../attack/processes/pair.ts';
import { other, type Round } from '../attack/processes/round.ts';
import type { Stage } from '../attack/processes/stage.ts';
import { AttackFailed, type Variant } from '../attack/processes/variants/variant.ts';
import { leaderOfBoth, rolesOf, untilBoth } from './roles.ts';

/** So many grants more of each epoch that ends: the reaction is not through with them when its leader goes. */
const more = 150;

/**
 * The leader of both workers is stopped or killed when the reaction has revoked some of the grants of half of the rounds.
 * The add-ons of the other half live on, and so do their clients, until the next leader is through with what it found.
 * Then they are deactivated, too, and the first leader wakes up, or starts again, and stands by.
 */
export const leaderGone = (signal: 'SIGSTOP' | 'SIGKILL', say: (line: string) => void): Variant => {
  let lostAt: Place | null = null;
  return {
    excuses: () => ({ unavailable: true, lostAt }),
    async strike(stage, rounds, random) {
      const [ending, lasting] = [rounds.slice(0, rounds.length / 2), rounds.slice(rounds.length / 2)];
      const leader = await leaderOfBoth(stage);
      const stays = other(leader);
      // A busy leader answers late: clients that wait for it when it stops would ask nobody else.
      for (const round of lasting) round.avoid(leader);
      const moreOf = ending.flatMap(({ pair }) => Array.from({ length: more }, () => pair));
      // All at once, a busy machine would not append each within the time that a command has.
      await pMap(moreOf, (pair) => makeCode(stage, pair), { concurrency: 8 });

      const enough = ending.flatMap(grantsOf).length * (1 - 0.6 * random());
      const ended = Promise.all(ending.map((round) => round.insist(stays)));
      if (!(await stage.watch.until(() => leftToRevoke(stage, ending) < enough)))
        throw new AttackFailed('the reaction does not begin');
      for (const round of ending) round.avoid(leader);
      const gone = stage.clock();
      if (signal === 'SIGSTOP') stage.signal(leader, signal);
      else await stage.kill((lostAt = leader));
      try {
        const left = leftToRevoke(stage, ending);
        await untilBoth(stage, stays, 'leading');
        const led = stage.clock();
        const [accepted, putOff] = [200, 503].map(
          (status) => answersBetween(lasting, { status, place: stays, from: gone, to: led }).length,
        );
        say(
          `${signal}: leadership moved within ${Math.round(led - gone)} ms, ${left} grants waited to be revoked; ` +
            `of the requests of that time ${accepted} were accepted, ${putOff} told to try again`,
        );
        if (left === 0) throw new AttackFailed('the reaction was through when its leader went');
        if (accepted === 0 && signal === 'SIGSTOP')
          throw new AttackFailed('nobody is served while nobody leads');
        if ((await ended).includes(false))
          throw new AttackFailed('without the leader nothing can be deactivated');
        if (!(await stage.watch.until(() => ending.every((round) => isThrough(stage, round)), patience)))
          throw new AttackFailed(
            `the next leader does not go on: ${JSON.stringify(await rolesOf(stage, stays))}`,
          );
        await Promise.all(lasting.map((round) => round.insist(stays)));
      } finally {
        if (signal === 'SIGSTOP') stage.signal(leader, 'SIGCONT');
      }
      if (signal === 'SIGKILL') await stage.restart(leader);
      await untilBoth(stage, leader, 'standby');
      return { recover: () => Promise.resolve() };
    },
  };
};

/** Generous, as nothing here is measured against it. */
const patience = 60_000;

const grantsOf = ({ pair, epoch }: Round): readonly string[] => pair.grants.get(epoch) ?? [];

const leftToRevoke = ({ watch }: Stage, rounds: readonly Round[]): number =>
  rounds.flatMap(grantsOf).filter((grantId) => !watch.revocations.has(grantId)).length;

const isThrough = ({ watch }: Stage, { pair: { organizationId, addonId }, epoch }: Round): boolean =>
  watch.completions.has(epochKey(organizationId, addonId, epoch));

type Wanted = { readonly status: number; readonly place: Place; readonly from: number; readonly to: number };

const answersBetween = (rounds: readonly Round[], wanted: Wanted): readonly Call[] =>
  rounds
    .flatMap((round) => round.history({ unavailable: false, lostAt: null }).calls)
    .filter(({ status, place }) => status === wanted.status && place === wanted.place)
    .filter(({ began, answered }) => began > wanted.from && answered < wanted.to);
