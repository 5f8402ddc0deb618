import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { seed } from './test/support/seed.ts';
import { isSlow, slowFiles } from './test/support/slow.ts';

/** These start processes, or are about what one process holds: each file has one to itself, which costs it a second. */
const alone = [
  'attack/processes/{attack,rebuilds}',
  'durability/*',
  'embedded/node/process',
  'embedded/postgres/start-postgres',
  'eventstore/{append-traps,read-traps,server-traps,subscription,trouble}',
  'hardening/*',
  'instances/*',
  'leaks/*',
  'lifecycle/{embedded,kafka-tests,service,two-instances}',
  'portability/*',
  'upgrades/*',
].map((name) => `test/${name}.test.ts`);
/** These talk with a Kafka broker. */
const withBroker = ['test/kafka/broker/**/*.test.ts'];
const notNow = isSlow ? [] : [...slowFiles];
/** One second, the default of `expect.poll`, is little on a busy machine; what is there is seen at once all the same. */
const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
  env: { GRANTBOOK_SEED: String(seed) },
  setupFiles: ['test/support/seeded-properties.ts'],
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Loading the sources for each file anew would take longer than the tests.
      {
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...withBroker, ...notNow],
          isolate: false,
        },
      },
      { test: { ...common, name: 'alone', include: alone, exclude: notNow } },
      {
        test: {
          ...common,
          name: 'kafka',
          include: withBroker,
          exclude: notNow,
          globalSetup: ['test/support/kafka-broker/setup.ts'],
          isolate: false,
        },
      },
    ],
  },
});
