import { makeBackoff } from '../../common/backoff.ts';
import type { KafkaConnection } from './connection.ts';

export const makePartitions = (group: string, logger: KafkaConnection['logger']) => {
  let known = new Map<string, ReturnType<typeof track>>();
  const of = (topic: string, partition: number) => {
    const name = `${topic}/${partition}`;
    const state = known.get(name) ?? track({ group, topic, partition }, logger);
    known.set(name, state);
    return state;
  };
  const all = () => [...known.values()];
  return {
    of,
    /** Call after each join: partitions that remain keep their state. */
    assign: (assignment: Readonly<Record<string, readonly number[]>>) => {
      const ours = Object.entries(assignment).flatMap(([topic, numbers]) =>
        numbers.map((partition) => [`${topic}/${partition}`, of(topic, partition)] as const),
      );
      known = new Map(ours);
    },
    /** The error with which the handler rejects now, in a few words; null if none. */
    rejection: () =>
      all()
        .find((state) => state.rejection() !== null)
        ?.rejection() ?? null,
    status: () => all().map((state) => state.status()),
  };
};

export type Partitions = ReturnType<typeof makePartitions>;

type Place = { readonly group: string; readonly topic: string; readonly partition: number };

const track = (place: Place, logger: KafkaConnection['logger']) => {
  const { topic, partition } = place;
  const backoff = makeBackoff(100, 10_000);
  let [committed, end]: [bigint | null, bigint | null] = [null, null];
  let rejection: string | null = null;
  return {
    ended: (at: bigint) => void (end = at),
    committed: (next: bigint) => {
      committed = next;
      rejection = null;
      backoff.reset();
    },
    /** @returns how many milliseconds to wait before the next try */
    rejected: (error: unknown) => {
      const why = error instanceof Error ? error.name : 'failure';
      if (rejection === null) logger.warn({ ...place, why }, 'a batch was rejected; retrying');
      rejection = `a batch of ${topic}/${partition} is rejected: ${why}`;
      return backoff.next();
    },
    rejection: () => rejection,
    status: () => ({ topic, partition, committed, end }),
  };
};
