import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRelease } from '../support/tiers.ts';
import { makeFollower } from './changes-follower.ts';
import { openStage, type Stage } from './lists-stage.ts';
import { everyProfile, longStories, stories, type Story, type Write } from './lists-story.ts';
import { makeWorld } from './lists-world.ts';

let stage: Stage;
let servers: readonly FastifyInstance[];
beforeAll(async () => {
  stage = await openStage();
  servers = [stage.http.another(), stage.http.another()]; // two instances
});
afterAll(() => stage.close());

/** In a user's list, what moves with profiles and what comes and goes with organizations is rare by chance. */
const more = (round: number, i: number): readonly Write[] => {
  const organization = i % 2;
  if (round === 0) return everyProfile;
  return [
    ...(round % 2 === 0
      ? [{ do: 'profile', organization, id: (7 * round + i) % 4, user: (round + i) % 3 } as const]
      : []),
    ...(round % 3 === 0
      ? [
          { do: 'remove', organization, id: round % 9 } as const,
          { do: 'record', organization, id: round % 9, profile: 0 } as const,
        ]
      : []),
    ...((round + i) % 5 === 0 ? [{ do: 'switch', organization } as const] : []),
  ];
};

let names = 0;

/** Between any two requests of the add-on something happens; in the end, its copy is what the list is. */
const follow = async (told: readonly Story[], batches: number): Promise<readonly string[]> => {
  const plays = told.map((story) => {
    const world = makeWorld(`c${(names += 1)}`, story, stage.tell);
    return { world, story, follower: makeFollower(stage, servers, world, story) };
  });
  const rounds = Math.max(...told.map((story) => story.rounds.length));
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const [i, { world, story }] of plays.entries()) {
      for (const write of story.rounds[round % rounds]?.writes ?? []) world.do(write);
      if (story.token === 'user') for (const write of more(round, i)) world.do(write);
    }
    await stage.project(batches);
    await Promise.all(plays.map(({ follower }) => follower.ask()));
  }
  // An organization's token is only good while the add-on is active.
  for (const { world } of plays) if (world.isRefused()) world.do({ do: 'switch', organization: 0 });
  await stage.project(1);
  await Promise.all(plays.map(({ follower }) => follower.finish()));
  await stage.takeRows();
  return plays.flatMap(({ follower }, i) =>
    follower.wrong().map((wrong) => `${JSON.stringify(told[i])}: ${wrong}`),
  );
};

/** @returns what went wrong first, of `runs` stories */
const play = async (all: fc.Arbitrary<Story>, runs: number, batches: number): Promise<readonly string[]> => {
  const told = fc.sample(all, { numRuns: runs, seed: 1000 + batches });
  const wrong: string[] = [];
  for (let from = 0; from < runs && wrong.length === 0; from += 50)
    wrong.push(...(await follow(told.slice(from, from + 50), batches)));
  return wrong.slice(0, 3);
};

const times = isRelease ? 20 : 4;

test('AP-05: whatever happens during a walk and between the pages of changes, a copy made of them is the list', async () => {
  expect(await play(stories, 60 * times, 1)).toEqual([]);
  expect(await play(stories, 60 * times, 3)).toEqual([]);
});

test('AP-05: the same for lists of hundreds', async () => {
  expect(await play(longStories, 6 * times, 2)).toEqual([]);
});
