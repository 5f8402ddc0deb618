import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { organizationSubject } from '../../../src/domain/fence/fence.ts';
import { organizationStream } from '../../../src/domain/streams.ts';
import { until } from '../../../src/embedded/until.ts';
import { seededRandom } from '../../durability/random.ts';
import { valueOf } from '../../support/outcomes.ts';
import { seed } from '../../support/seed.ts';
import { freshDatabase } from '../../support/servers/databases.ts';
import { startTestServers } from '../../support/test-servers.ts';
import { startClients, spread, tryEverything, useInPeace } from './clients.ts';
import type { Excuses, Place } from './history.ts';
import { makePairs, type Pair } from './pair.ts';
import { judgeRound } from './referee.ts';
import { beginRound, noteEnd, type Round } from './round.ts';
import { activateFirst, closeLedger, type IssuingCall } from './run-attack.ts';
import { openStage, type Stage } from './stage.ts';
import { fenceWrite } from './variants/killed.ts';
import { serverKilled } from '../../support/trouble/server-killed.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';

allowTrouble(...serverKilled);

type Closing = { readonly organizationId: string; readonly rounds: readonly Round[] };

type Variant = {
  readonly name: string;
  readonly excuses: Excuses;
  readonly strike: (stage: Stage, closings: readonly Closing[], call: CallToClose) => Promise<void>;
};

/** Asks once, and marks a success in the log. */
type CallToClose = (closing: Closing, ...places: readonly Place[]) => Promise<void>;

const patience = { attempts: 60_000, access: 120_000 };
const killedExcuses: Excuses = { unavailable: true, lostAt: 0 };

/** The closing instance is killed, with its writes to the fence or their answers held up; nobody else asks. */
const killed = (frozen: 'requests' | 'answers', repeats: boolean): Variant => ({
  name: `killed with ${frozen} to PostgreSQL held up, ${repeats ? 'asked again' : 'and not asked again'}`,
  excuses: killedExcuses,
  async strike(stage, closings, call) {
    const rounds = closings.flatMap((closing) => closing.rounds);
    await Promise.all(rounds.map((round) => round.warm(0)));
    stage.proxy.freezeFrom(fenceWrite, frozen);
    const asked = Promise.all(closings.map((closing) => call(closing, 0)));
    const isReached = await until(
      async () =>
        (await Promise.all(closings.map((each) => isClosed(stage, each)))).every(Boolean) &&
        (frozen === 'requests' || (await fenced(stage, closings)) > 0),
      patience.attempts,
    );
    for (const round of rounds) round.avoid(0);
    await stage.kill(0);
    await asked;
    expect(isReached).toBe(true);
    if (repeats) await Promise.all(closings.map((closing) => call(closing, 1)));
    else await Promise.all(closings.map((closing) => endedByItself(stage, closing)));
    await stage.restart(0);
  },
});

const variants: readonly Variant[] = [
  {
    name: 'at a random moment, sometimes at both instances',
    excuses: { unavailable: false, lostAt: null },
    async strike(_stage, closings, call) {
      await Promise.all(
        closings.map(async (closing, index) => {
          const [round] = closing.rounds;
          await sleep((round?.random() ?? 0) * spread);
          await (index === 0 ? call(closing, 0, 1) : call(closing, round?.somewhere() ?? 0));
        }),
      );
    },
  },
  killed('requests', true),
  killed('answers', true),
  killed('requests', false),
  killed('answers', false),
];

const isClosed = async ({ core }: Stage, { organizationId }: Closing): Promise<boolean> => {
  const events = await core.store.readEnd(organizationStream(organizationId), 'last', 5);
  return events.some(({ event }) => event.type === 'OrganizationClosed');
};

const fenced = async ({ database }: Stage, closings: readonly Closing[]): Promise<number> => {
  const subjects = closings.map(({ organizationId }) => organizationSubject(organizationId));
  const { rows } = await database.query<{ closed: number }>(
    'select count(*)::int as closed from fence where subject = any($1) and not open',
    [subjects],
  );
  return rows[0]?.closed ?? 0;
};

/** Whoever was not answered learns nothing; access ends all the same, and stays ended from its first refusal on. */
const endedByItself = async (stage: Stage, { rounds }: Closing): Promise<void> => {
  await Promise.all(
    rounds.map(async ({ pair, epoch, grants, calls }) => {
      const [grant] = grants.used;
      const tokens = grant?.pairs.at(-1);
      if (!grant || !tokens) throw new Error('nothing was used in peace');
      const refused = await until(
        async () => !(await calls.bearer('introspect', 1, grant, tokens)).accepted,
        patience.access,
      );
      expect(refused).toBe(true);
      await noteEnd(stage, pair, epoch, stage.clock());
    }),
  );
};

const openClosings = async (stage: Stage, random: () => number): Promise<readonly Closing[]> => {
  const pairs = await makePairs(stage, 4);
  await Promise.all(pairs.map((pair) => activateFirst(stage, pair)));
  const rounds = await Promise.all(
    pairs.map((pair) => beginRound(stage, pair, seededRandom(random() * 2 ** 32))),
  );
  await Promise.all(rounds.map(useInPeace));
  const organizations = new Set(pairs.map(({ organizationId }) => organizationId));
  return [...organizations].map((organizationId) => ({
    organizationId,
    rounds: rounds.filter(({ pair }) => pair.organizationId === organizationId),
  }));
};

test('FX-50: two instances accept and issue nothing once a closing has been answered, also where it is killed at any step', async () => {
  const { node, database } = await startTestServers(onTestFinished, freshDatabase);
  const stage = await openStage({ node, databaseUrl: database.url });
  onTestFinished(() => stage.close());
  const { commands } = stage.core;
  const person = { email: 'olga@example.com', name: 'Olga', password: 'correct horse battery staple' };
  const { userId } = valueOf(
    await commands.createUser({ ...person, administratorOf: [], roles: ['operator'] }),
  );
  const asked = { userId, organizationId: null, name: 'attack', days: 1, by: userId };
  const { token } = valueOf(await commands.issueAdministratorToken(asked));
  const headers = { authorization: `Bearer ${token}` };

  const call: CallToClose = async ({ organizationId, rounds }, ...places) => {
    for (const { pair, epoch } of rounds)
      if (!pair.ends.has(epoch)) pair.ends.set(epoch, { began: stage.clock(), answered: null, marker: null });
    await Promise.all(
      places.map(async (place) => {
        const path = `/operator/api/organizations/${organizationId}/close`;
        const { status, answered } = await stage.wire.send(place, { method: 'POST', path, headers });
        if (status === 200)
          await Promise.all(rounds.map(({ pair, epoch }) => noteEnd(stage, pair, epoch, answered)));
      }),
    );
  };
  const random = seededRandom(seed);
  const [found, everyPair, issuing]: [unknown[], Pair[], IssuingCall[]] = [[], [], []];
  for (const variant of variants) {
    const closings = await openClosings(stage, random);
    const rounds = closings.flatMap((closing) => closing.rounds);
    const clients = Promise.all(rounds.map(startClients));
    clients.catch(() => undefined); // when the strike fails, it is the strike's failure that is told
    await variant.strike(stage, closings, call);
    await clients;
    for (const round of rounds) round.avoidNothing();
    await Promise.all(rounds.map(tryEverything));
    for (const { pair, history } of rounds) {
      const seen = history(variant.excuses);
      const administered = seen.adminCalls.filter(({ kind }) => kind === 'activate');
      found.push(...judgeRound({ ...seen, adminCalls: [] }).map((violation) => [variant.name, violation]));
      expect(administered.every(({ status }) => status === 200)).toBe(true);
      issuing.push(
        ...seen.calls.filter((each) => each.issued && each.accepted).map((each) => ({ call: each, pair })),
      );
      everyPair.push(pair);
      expect(pair.ends.get(pair.active.epoch)?.answered).toEqual(expect.any(Number));
    }
  }
  const { violations } = await closeLedger(stage, everyPair, issuing);
  expect([...found, ...violations]).toEqual([]);
});
