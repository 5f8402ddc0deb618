import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** The commit that was built, as recorded by `npm run build` (scripts/build-folder.js); zeros if unknown. */
export const builtCommit: string = readBuiltCommit();

function readBuiltCommit(): string {
  try {
    return readFileSync(join(packageRoot, 'dist/commit'), 'utf8').trim();
  } catch {
    return '0000000';
  }
}
