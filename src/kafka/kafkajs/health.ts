import type { ConsumptionStatus } from '../kafka-client.ts';
import type { KafkaConnection } from './connection.ts';

/** The state of a group membership; changes are logged. */
export const makeHealth = (group: string, logger: KafkaConnection['logger']) => {
  let state: ConsumptionStatus['state'] = 'joining';
  let since = Date.now();
  let trouble: string | null = null;
  const enter = (next: ConsumptionStatus['state']) => {
    if (state !== next) since = Date.now();
    state = next;
  };
  const set = (next: ConsumptionStatus['state'], what: string | null) => {
    if (state === 'stopped') return;
    if (what !== null && what !== trouble) logger.warn({ group, trouble: what }, 'cannot read from Kafka');
    if (what === null && trouble !== null) logger.info({ group }, 'reads from Kafka again');
    enter(next);
    trouble = what;
  };
  return {
    joining: () => set('joining', trouble),
    joined: () => set('reading', trouble),
    /** Call after a successful read. */
    well: () => set('reading', null),
    troubled: (what: string) => set('unreachable', what),
    stopped: () => {
      enter('stopped');
      trouble = null;
    },
    now: () => ({ state, since, trouble }),
  };
};

export type Health = ReturnType<typeof makeHealth>;
