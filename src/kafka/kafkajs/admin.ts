import type { Admin } from 'kafkajs';
import { KafkaUnavailable } from '../kafka-client.ts';
import { causeOf } from './cause-of.ts';
import type { KafkaConnection } from './connection.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { openSession } from './session.ts';

const patienceMs = 20_000;

/** Runs an admin operation on the brokers, with a time limit. @throws KafkaUnavailable */
export const withAdmin = async <T>(
  connection: KafkaConnection,
  use: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const session = openSession(connection);
  const admin = session.kafka.admin();
  try {
    return await withTimeout(
      patienceMs,
      admin.connect().then(() => use(admin)),
    );
  } catch (error) {
    throw new KafkaUnavailable(`Kafka request failed: ${causeOf(error)}`, { cause: error });
  } finally {
    session.end();
  }
};
