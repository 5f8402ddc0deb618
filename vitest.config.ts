import { register } from 'tsx/esm/api';
import { defineConfig } from 'vitest/config';
import { patience } from './test/support/patience.ts';
import { seed } from './test/support/seed.ts';
import { SlowestFirst } from './test/support/slowest-first.ts';
import { systemTests } from './test/support/tiers.ts';

/** Packages of this repository are tested as they are written, not as they were built. */
const source = '@grantbook/source';
// Node loads the sources, which tsx transforms: Vite's own loader took a third of the time of all tests.
register();
const native = {
  execArgv: ['--import', 'tsx', `--conditions=${source}`],
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

const folders = '{test,packages/*/test}';
const isolated = [`${folders}/**/*.isolated${systemTests}`];
/** These talk with a Kafka broker. */
const broker = ['test/kafka/broker/**/*.test.ts'];
const recording = process.env['GRANTBOOK_DURATIONS'] ? ['test/support/durations/record.ts'] : [];
const env = { GRANTBOOK_SEED: String(seed) };
const common = {
  maxWorkers: 4,
  testTimeout: 5 * patience,
  hookTimeout: 5 * patience,
  expect: { poll: { timeout: patience } },
  env,
};
const system = {
  ...common,
  setupFiles: ['test/support/second-tier.ts', ...recording],
  testTimeout: 10 * patience,
  sequence: { groupOrder: 1 },
};
const resolve = { conditions: [source, 'module', 'node', 'development|production'] };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: SlowestFirst },
    teardownTimeout: patience,
    projects: [
      {
        test: {
          ...common,
          ...native,
          setupFiles: ['test/support/first-tier.ts', ...recording],
          name: 'first',
          include: [`${folders}/**/*.test.ts`],
          exclude: [`**/*${systemTests}`, ...broker],
          isolate: false,
        },
      },
      {
        test: {
          ...system,
          ...native,
          name: 'system',
          include: [`${folders}/**/*${systemTests}`],
          exclude: [...isolated, ...broker],
          isolate: false,
        },
      },
      {
        test: {
          ...system,
          ...native,
          name: 'broker',
          include: broker,
          globalSetup: ['test/support/kafka-broker/setup.ts'],
          isolate: false,
        },
      },
      {
        ssr: { resolve },
        environments: { __vitest__: { resolve } },
        test: { ...system, name: 'isolated', include: isolated },
      },
    ],
  },
});
