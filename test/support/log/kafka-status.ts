import type { KafkaStatus } from '../../../src/kafka/status.ts';

/** A relay and an ingest that have worked and are healthy. */
export const kafkaStatus = (change: {
  readonly expired?: KafkaStatus['ingest']['expired'];
  readonly relay?: Partial<KafkaStatus['relay']>;
  readonly consumption?: Partial<KafkaStatus['ingest']['members'][number]['consumption']>;
}): KafkaStatus => ({
  relay: {
    role: 'leading',
    trouble: null,
    published: [{ topic: 'grantbook.grants', messages: 7 }],
    waiting: 0,
    oldestWaiting: null,
    failures: 0,
    lastFailure: null,
    ...change.relay,
  },
  ingest: {
    messages: [{ topic: 'host.profiles', outcome: 'dead-lettered', messages: 3 }],
    retries: 2,
    expired: change.expired ?? [],
    members: [
      {
        group: 'grantbook',
        consumption: {
          state: 'reading',
          since: 0,
          trouble: null,
          partitions: [
            { topic: 'host.profiles', partition: 0, committed: 10n, end: 15n },
            { topic: 'host.profiles', partition: 1, committed: null, end: null },
          ],
          ...change.consumption,
        },
      },
    ],
  },
});
