import { setTimeout as sleep } from 'node:timers/promises';
import { bearerKinds } from './history.ts';
import type { HeldGrant } from './pair.ts';
import type { Round } from './round.ts';

/** Every kind of request works once, so that a service that refuses everything does not pass. */
export const useInPeace = async ({ grants, calls, somewhere }: Round): Promise<void> => {
  await Promise.all(grants.used.map((grant) => calls.exchange(somewhere(), grant)));
  await Promise.all(grants.used.map((grant, index) => refreshOnce(grant, index)));

  async function refreshOnce(grant: HeldGrant, index: number): Promise<void> {
    const tokens = grant.pairs.at(-1);
    if (!tokens) return;
    await Promise.all([
      calls.refresh(somewhere(), grant, tokens),
      ...bearerKinds
        .filter((_, place) => place % grants.used.length === index)
        .map((kind) => calls.bearer(kind, somewhere(), grant, tokens)),
    ]);
  }
};

/** Clients that never rest until the deactivation has been answered, and a little longer. */
export const startClients = (round: Round): Promise<unknown> => {
  const [first, second] = round.grants.used;
  return Promise.all([
    untilOver(round, () => refreshNewest(round, first)),
    untilOver(round, () => refreshNewest(round, second)),
    untilOver(round, () => read(round, round.grants.used)),
    untilOver(round, () => read(round, [...round.grants.used, round.grants.late])),
    untilOver(round, () => haunt(round)),
    exchangeLate(round),
  ]);
};

/** So many requests of each client begin after the answer. */
const afterwards = 2;

/** A fault may take seconds to have its effect: then the clients slow down, down to this many milliseconds a request. */
const slowest = 25;

const untilOver = async (round: Round, act: () => Promise<unknown>): Promise<void> => {
  for (let turn = 0, after = 0; after < afterwards; turn += 1) {
    if (round.isEnded()) after += 1;
    await act();
    if (turn > 10) await sleep(Math.min(turn, slowest));
  }
};

/** Three times in ten the same token at both instances at once: both are right, with one successor (RT-04). */
const refreshNewest = async (round: Round, grant: HeldGrant | undefined): Promise<void> => {
  const tokens = grant?.pairs.at(-1);
  if (!grant || !tokens) return;
  const place = round.somewhere();
  const places = round.random() < 0.3 ? new Set([place, round.somewhere()]) : [place];
  await Promise.all([...places].map((each) => round.calls.refresh(each, grant, tokens)));
};

/** Any access token of the epoch: those of before a refresh live on (RT-08). */
const read = async (round: Round, grants: readonly HeldGrant[]): Promise<void> => {
  const held = grants.flatMap((grant) => grant.pairs.map((tokens) => ({ grant, tokens })));
  const one = pick(round, held);
  const kind = pick(round, bearerKinds);
  if (one && kind) await round.calls.bearer(kind, round.somewhere(), one.grant, one.tokens);
};

/** Tokens of epochs that have ended long ago. */
const haunt = async (round: Round): Promise<void> => {
  const grant = pick(round, round.pair.ghosts);
  if (grant) await tryOnce(round, grant);
};

const exchangeLate = async (round: Round): Promise<void> => {
  await sleep(round.random() * spread);
  await round.calls.exchange(round.somewhere(), round.grants.late);
};

/** What happens at a random moment happens within so many milliseconds. */
export const spread = 30;

/** Whatever a grant holds, presented once more somewhere. */
const tryOnce = async (round: Round, grant: HeldGrant): Promise<void> => {
  const { calls, somewhere } = round;
  const tokens = grant.pairs.at(-1);
  const kind = pick(round, bearerKinds);
  if (!tokens || !kind) return void (await calls.exchange(somewhere(), grant));
  if (round.random() < 0.5) await calls.bearer(kind, somewhere(), grant, tokens);
  else await calls.refresh(somewhere(), grant, tokens);
};

/** Everything of the epoch is presented once more, at both instances; from now on it haunts the pair. */
export const tryEverything = async (round: Round): Promise<void> => {
  const { used, late, kept } = round.grants;
  const dead = [...used, late, kept];
  await Promise.all(
    dead.flatMap((grant) =>
      ([0, 1] as const).map((place) => {
        const tokens = grant.pairs.at(-1);
        const kind = pick(round, bearerKinds) ?? 'list';
        if (!tokens) return round.calls.exchange(place, grant);
        return place === 0
          ? round.calls.bearer(kind, place, grant, tokens)
          : round.calls.refresh(place, grant, tokens);
      }),
    ),
  );
  round.pair.ghosts.push(...dead);
  round.pair.ghosts.splice(0, Math.max(0, round.pair.ghosts.length - hauntingGrants));
};

const hauntingGrants = 8;

const pick = <T>({ random }: Round, items: readonly T[]): T | undefined =>
  items[Math.floor(random() * items.length)];
