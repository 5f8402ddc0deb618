import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from '../../scripts/docs/pages.ts';
import { packageRoot } from '../../src/process/package-root.ts';

const folder = join(packageRoot, 'docs/reference');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test.each(Object.entries(pages))('docs/reference/%s is what the code says', async (name, make) => {
  const page = await make();
  if (process.env['GRANTBOOK_DOCS'] === 'write') writeFileSync(join(folder, name), page);
  expect(page === read(name), 'run npm run docs').toBe(true);
});
