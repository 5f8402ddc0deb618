import type { ReadDependencies } from './read-dependencies.ts';
import { endOfTime, type Stored } from './record.ts';

/** For fault injection: the state of the log at a position, as a deposed leader still reads it. */
export const asOf = (dependencies: ReadDependencies, position: bigint): ReadDependencies => {
  const { log, heads, commits } = dependencies;
  const early = (events: readonly Stored[]): Stored[] => events.filter((event) => event.position <= position);
  const lasts = new Map<string, bigint>();
  const lastOf = async (stream: string): Promise<bigint> => {
    const all = await log.forwards({ stream, from: 0n, to: endOfTime - 1n, since: 0n, limit: 100_000 });
    return early(all).at(-1)?.revision ?? -1n;
  };
  return {
    ...dependencies,
    log: {
      ...log,
      forwards: async (window) => early(await log.forwards(window)),
      backwards: async (window) => early(await log.backwards(window)),
      after: async (from, limit) => early(await log.after(from, limit)),
      before: (from, limit) => log.before(from > position ? position + 1n : from, limit),
    },
    heads: {
      ...heads,
      load: async (names) => {
        await heads.load(names);
        for (const stream of names.flatMap((name) => [name, `$$${name}`]))
          lasts.set(stream, await lastOf(stream));
      },
      get: (name) => {
        const head = heads.get(name);
        const [last, metadataLast] = [lasts.get(name), lasts.get(`$$${name}`)];
        if (!head || last === undefined || metadataLast === undefined) return undefined;
        return { ...head, last, metadataLast, tombstoned: false };
      },
    },
    commits: { ...commits, head: () => position, after: () => null },
  };
};
