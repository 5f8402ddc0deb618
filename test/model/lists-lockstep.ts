import type { Stage } from './lists-stage.ts';
import type { Story } from './lists-story.ts';
import { makeVisitor } from './lists-visitor.ts';
import { makeWorld } from './lists-world.ts';

/** Why a story went wrong, in which of its rounds; null for one that went well. */
export type Verdict = { readonly round: number; readonly wrong: readonly string[] } | null;

/** `over`: whether they ask over HTTP, where each answer is also as the OpenAPI document says, or the function under the route. */
export type Ways = { readonly batches: number; readonly over: 'http' | 'function' };

let names = 0;
/** More requests at once are not faster. */
const atOnce = 32;

/**
 * Plays many stories at once, each with an organization of its own: what happens in a round of all of them is projected
 * together, then all of them ask at once.
 */
export const playTogether = async (
  stage: Stage,
  stories: readonly Story[],
  ways: Ways,
): Promise<readonly Verdict[]> => {
  const plays = stories.map((story) => makePlay(stage, story, ways.over));
  const rounds = Math.max(...stories.map((story) => story.rounds.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const play of plays) play.write(round);
    await stage.project(ways.batches);
    for (let from = 0; from < plays.length; from += atOnce)
      await Promise.all(plays.slice(from, from + atOnce).map((play) => play.read(round)));
  }
  const rows = new Map<string, string[]>();
  for (const row of await stage.takeRows()) {
    const [, organizationId = ''] = row.split(' ');
    const others = rows.get(organizationId);
    if (others) others.push(row);
    else rows.set(organizationId, [row]);
  }
  for (const play of plays) play.compare(rows);
  return plays.map((play) => play.verdict());
};

const makePlay = (stage: Stage, story: Story, over: Ways['over']) => {
  const get = over === 'http' ? stage.overHttp : stage.underHttp;
  const world = makeWorld(`w${(names += 1)}`, story, stage.tell);
  const visitor = makeVisitor(world, story, stage.baseUrl);
  let verdict: Verdict = null;
  return {
    write(round: number): void {
      const now = story.rounds[round];
      if (verdict || !now) return;
      for (const write of now.writes) world.do(write);
      visitor.meanwhile();
    },
    async read(round: number): Promise<void> {
      const now = story.rounds[round];
      if (verdict || !now) return;
      const answer = await get(visitor.ask(now.ask), world.subject());
      const wrong = visitor.hear(answer);
      if (wrong.length > 0) verdict = { round, wrong };
    },
    /** `rows`: those of all stories, by organization. One that went wrong was not told to its end. */
    compare(rows: ReadonlyMap<string, readonly string[]>): void {
      if (verdict) return;
      const expected = new Set(world.model.rows());
      const own = new Set(world.organizationIds.flatMap((id) => rows.get(id) ?? []));
      const wrong = [
        ...[...expected].filter((row) => !own.has(row)).map((row) => `not in the tables: ${row}`),
        ...[...own].filter((row) => !expected.has(row)).map((row) => `in the tables: ${row}`),
      ];
      if (wrong.length > 0) verdict = { round: story.rounds.length, wrong: wrong.slice(0, 5) };
    },
    verdict: () => verdict,
  };
};

/** A shorter story that goes wrong as well: rounds and writes are left out, one after the other, as long as it still does. */
export const shrink = async (stage: Stage, story: Story, ways: Ways): Promise<Story> => {
  const fails = async (candidate: Story) => (await playTogether(stage, [candidate], ways))[0] !== null;
  let best = story;
  for (let changed = true; changed;) {
    changed = false;
    for (const candidate of shorterThan(best))
      if (await fails(candidate)) {
        best = candidate;
        changed = true;
        break;
      }
  }
  return best;
};

const shorterThan = ({ rounds, ...story }: Story): readonly Story[] => {
  const without = rounds.map((_, at) => rounds.toSpliced(at, 1));
  const lighter = rounds.flatMap((round, at) =>
    round.writes.map((_, one) => rounds.with(at, { ...round, writes: round.writes.toSpliced(one, 1) })),
  );
  return [...without, ...lighter]
    .filter(({ length }) => length > 0)
    .map((fewer) => ({ ...story, rounds: fewer }));
};
