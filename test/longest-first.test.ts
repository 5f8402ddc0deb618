import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/package-root.ts';
import { longest } from './support/longest-first.ts';

test('the files that are begun first are there', () => {
  expect(longest.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
});
