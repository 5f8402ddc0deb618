import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/process/package-root.ts';
import { readDurations } from './support/durations/durations.ts';
import { systemTests } from './support/tiers.ts';

/** Of CPU, for a file of the first tier. */
const mostSeconds = 3;

const durations = readDurations();
const packages = readdirSync(join(packageRoot, 'packages')).map((name) => `packages/${name}/test`);
const files = ['test', ...packages]
  .filter((folder) => existsSync(join(packageRoot, folder)))
  .flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  )
  .filter((file) => file.endsWith('.test.ts') && file !== 'test/browser/review.system.test.ts'); // for people alone

test('what each file of tests takes is recorded: npm run durations -- PATH...', () => {
  expect(Object.keys(durations)).toEqual(files.toSorted());
});

test('no file of the first tier takes more than 3 s of CPU', () => {
  const slow = Object.entries(durations).filter(
    ([file, { cpu }]) => !file.endsWith(systemTests) && cpu > mostSeconds,
  );
  expect(slow).toEqual([]);
});
