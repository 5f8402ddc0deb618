import { createHash } from 'node:crypto';
import { Violation } from './judge.ts';
import type { Mutation } from './mutations.ts';
import { quiet } from './stage.ts';
import { openWorld, type Setting, type World } from './world.ts';

/** A cast and what must be true when nobody has anything left to do. */
export type Plan = {
  readonly setting?: Setting;
  readonly cast: (world: World) => void;
  readonly atEnd?: (world: World) => void;
};

/** Who goes on, of those who can: an index, or null to leave the play. */
export type Choose = (able: readonly { readonly actor: number }[], world: World) => number | null;

/** Plays once. Whatever breaks a promise is thrown as a Violation, with everything that led to it. */
export const play = async (plan: Plan, mutation: Mutation | null, choose: Choose): Promise<World> => {
  const world = openWorld(mutation, plan.setting);
  try {
    plan.cast(world);
    await quiet();
    for (;;) {
      world.judge.look();
      const able = world.stage.able();
      if (able.length === 0) break;
      const index = choose(able, world);
      if (index === null) return world;
      await able[index]?.go();
    }
    plan.atEnd?.(world);
    return world;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Violation(`${error.message}\n${world.stage.trace.map((line) => `  ${line}`).join('\n')}`);
  }
};

export type Explored = {
  /** Plays, different situations in them, and plays to the end. */
  readonly plays: number;
  readonly situations: number;
  readonly ends: number;
  readonly issued: number;
  readonly accepted: number;
  readonly violation: string | null;
};

/**
 * Plays in every order in which somebody is interrupted at most so many times while he could go on; whoever is done, or has
 * to wait, hands over to anybody. A situation that was met before, with as many interruptions left, is not gone into again.
 * Stops at the first violation.
 */
export const explore = async (
  plan: Plan,
  mutation: Mutation | null,
  { interruptions }: { readonly interruptions: number },
): Promise<Explored> => {
  const met = new Map<string, number>();
  const prefixes: (readonly number[])[] = [[]];
  const found = { plays: 0, ends: 0, issued: 0, accepted: 0, violation: null as string | null };

  for (let prefix = prefixes.pop(); prefix && found.violation === null; prefix = prefixes.pop()) {
    const turns: number[] = [];
    let current = -1;
    let interrupted = 0;
    let left = false;
    const from = prefix;
    const choose: Choose = (able, world) => {
      const costOf = (actor: number) =>
        actor !== current && able.some((one) => one.actor === current) ? 1 : 0;
      let index = from[turns.length];
      if (index === undefined) {
        const options = able
          .map(({ actor }, at) => ({ at, cost: costOf(actor) }))
          .filter(({ cost }) => interrupted + cost <= interruptions)
          .sort((a, b) => a.cost - b.cost);
        if (options.length > 1) {
          const key = digest(`${current}\n${world.key()}`);
          if ((met.get(key) ?? Infinity) <= interrupted) {
            left = true;
            return null;
          }
          met.set(key, interrupted);
        }
        const [first, ...others] = options;
        if (!first) throw new Error('nobody may go on');
        for (const { at } of others) prefixes.push([...turns, at]);
        index = first.at;
      }
      const { actor } = able[index] ?? { actor: -1 };
      interrupted += costOf(actor);
      current = actor;
      turns.push(index);
      return index;
    };
    found.plays += 1;
    try {
      const { judge } = await play(plan, mutation, choose);
      found.ends += left ? 0 : 1;
      found.issued += judge.successes.issued;
      found.accepted += judge.successes.accepted;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      found.violation = error.message;
    }
  }
  return { ...found, situations: met.size };
};

const digest = (text: string): string => createHash('sha1').update(text).digest('base64');
