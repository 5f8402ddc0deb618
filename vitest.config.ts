import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { seed } from './test/support/seed.ts';
import { isSlow, slowFiles } from './test/support/slow.ts';

const below = (...names: readonly string[]) => names.map((name) => `test/${name}.test.ts`);
/** These are about what one process holds: each file has one to itself, which costs it two seconds. */
const alone = below(
  'embedded/postgres/start-postgres',
  'events/invented-event',
  'eventstore/{append-traps,read-traps,server-traps,subscription,server/trouble}',
  'leaks/*',
  'lifecycle/{embedded,kafka-tests}',
  'records/fourth-resource',
).concat('packages/eventstore-node/test/process.test.ts');
/** These start processes and kill them, apart from tests that are in a hurry. */
const processes = below(
  'attack/processes/{attack,closing,rebuilds}',
  'durability/*',
  'hardening/*',
  'instances/*',
  'lifecycle/{service,two-instances}',
  'portability/*',
  'upgrades/*',
);
/** These talk with a Kafka broker. */
const withBroker = ['test/kafka/broker/**/*.test.ts'];
const notNow = isSlow ? [] : [...slowFiles];
/** Packages of this repository are tested as they are written, not as they were built. */
const resolve = { conditions: ['@grantbook/source', 'module', 'node', 'development|production'] };
/** Tests are loaded by the environment `ssr`, global setups by Vitest's own. */
const resolving = { ssr: { resolve }, environments: { __vitest__: { resolve } } };
/** One second, the default of `expect.poll`, is little on a busy machine; what is there is seen at once all the same. */
const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
  env: { GRANTBOOK_SEED: String(seed) },
  setupFiles: ['test/support/seeded-properties.ts', 'test/support/trouble/setup.ts'],
};

export default defineConfig({
  ...resolving,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // On two cores: many tests wait. The slow ones start servers, and hold promises that are measured in seconds.
    maxWorkers: isSlow ? 2 : 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Loading the sources for each file anew would take longer than the tests.
      {
        ...resolving,
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...alone, ...processes, ...withBroker, ...notNow],
          isolate: false,
        },
      },
      { ...resolving, test: { ...common, name: 'alone', include: alone, exclude: notNow } },
      {
        ...resolving,
        test: { ...common, name: 'processes', include: processes, exclude: notNow, isolate: false },
      },
      {
        ...resolving,
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
