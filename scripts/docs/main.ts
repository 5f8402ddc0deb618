import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/process/package-root.ts';
import { pages } from './pages.ts';

for (const [name, make] of Object.entries(pages))
  writeFileSync(join(packageRoot, 'docs/reference', name), await make());
