import { defineConfig } from 'vitest/config';

/** These start processes, or are about what one process holds: each file has one to itself. */
const alone = [
  'attack/processes',
  'durability',
  'embedded',
  'hardening',
  'eventstore',
  'hardening',
  'instances',
  'leaks',
  'lifecycle',
  'portability',
].map((folder) => `test/${folder}/**/*.test.ts`);
/** These talk with a Kafka broker. */
const withBroker = ['test/kafka/broker/**/*.test.ts'];
/** One second, the default of `expect.poll`, is little on a busy machine; what is there is seen at once all the same. */
const common = { testTimeout: 30_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      // Loading the sources for each file anew would take longer than the tests.
      {
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...withBroker],
          isolate: false,
        },
      },
      { test: { ...common, name: 'alone', include: alone } },
      {
        test: {
          ...common,
          name: 'kafka',
          include: withBroker,
          globalSetup: ['test/support/kafka-broker/setup.ts'],
          isolate: false,
        },
      },
    ],
  },
});
