import { makeConcurrencyLimiter } from '../common/concurrency-limiter.ts';

/** Runs the work when it is its turn. @param name those who wait under the same name have one turn together */
export type JudgeTogether = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Limits how many names are judged at once. All who wait under one name are judged together, because they share the
 * reads of the log: one after the other, thousands of polls of one receiver would wait for a read each.
 */
export const makeJudgeTogether = (atOnce: number): JudgeTogether => {
  const { run } = makeConcurrencyLimiter({ atOnce });
  const waiting = new Map<string, (() => Promise<void>)[]>();
  return (name, work) =>
    new Promise((resolve, reject) => {
      const one = () => work().then(resolve, reject);
      const present = waiting.get(name);
      if (present) return void present.push(one);
      const group = [one];
      waiting.set(name, group);
      void run(async () => {
        waiting.delete(name);
        await Promise.all(group.map((each) => each()));
      });
    });
};
