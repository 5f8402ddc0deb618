import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/process/package-root.ts';
import { longest } from './support/longest-first.ts';
import { slowFiles } from './support/slow.ts';

test('the files that are begun first, and those of the slow set, are there', () => {
  expect([...longest, ...slowFiles].filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
});
