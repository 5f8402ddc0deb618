import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';

type Locked = { readonly optionalDependencies?: Record<string, string> };

/** A registry without one platform's binaries makes npm write such a lock file without a word, and `npm ci` refuse it. */
test('the lock file holds the optional packages of every platform', () => {
  const lock = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Record<string, Locked>;
  };
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => ![`node_modules/${name}`, `${path}/node_modules/${name}`].some((at) => at in lock.packages),
    ),
  );
  expect(missing).toEqual([]);
});
