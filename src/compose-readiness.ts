import type { Workers } from './compose.ts';
import type { Readiness } from './http/needs.ts';
import { kafkaTrouble } from './kafka/kafka-trouble.ts';
import type { KafkaStatus } from './kafka/status.ts';
import type { LedStatus } from './projections/led.ts';

export type ReadinessFacts = {
  readonly eventStore: 'ok' | 'unreachable';
  readonly database: 'ok' | 'unreachable';
  readonly workers: ReturnType<Workers['status']>;
  /** Null without KAFKA_BROKERS. */
  readonly kafka: KafkaStatus | null;
  /** How many streams a read model holds back. */
  readonly parkedKeys: number;
  /** Of how many persons an instance found the key neither there nor destroyed. */
  readonly lostKeys: number;
};

/**
 * Not ready is an instance only by what makes its tokens or lists wrong or unavailable: its two servers, and the projector, which
 * writes the fence's rows and the lists. A reaction, a history, log heads or a relay that is stuck is stuck on every instance that
 * leads it next: it is `degraded` and alarms, and takes no instance out of service (TR-02).
 */
export const judgeReadiness = (facts: ReadinessFacts): Readiness => {
  const { eventStore, database, workers, kafka, parkedKeys, lostKeys } = facts;
  const { projector, ...others } = workers;
  const trouble = kafka && kafkaTrouble(kafka);
  const roles = Object.entries(others).map(([name, status]) => [name, roleOrTrouble(status)]);
  return {
    ready: eventStore === 'ok' && database === 'ok' && projector.healthy,
    degraded:
      trouble !== null ||
      parkedKeys > 0 ||
      lostKeys > 0 ||
      Object.values(others).some(({ healthy }) => !healthy),
    checks: {
      eventStore,
      database,
      projector: roleOrTrouble(projector),
      ...(Object.fromEntries(roles) as Readonly<Record<string, string>>),
      kafka: kafka === null ? 'not configured' : (trouble ?? 'ok'),
      personalKeys:
        lostKeys === 0
          ? 'ok'
          : `key lost: of ${lostKeys} ${lostKeys === 1 ? 'person' : 'persons'}, see grantbook keys restore`,
      parked:
        parkedKeys === 0
          ? 'nothing'
          : `${parkedKeys} ${parkedKeys === 1 ? 'key' : 'keys'}: see grantbook parked list`,
    },
  };
};

const roleOrTrouble = ({ role, healthy }: LedStatus): string =>
  healthy || role === 'stuck' ? role : `${role}, and does not work: see the log`;
