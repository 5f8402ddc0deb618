import { resolve } from 'node:path';
import { buildFolder, isBuilt } from './build-folder.js';

// The command line of a checkout: builds first if a source has changed since the last build.
const root = resolve(import.meta.dirname, '..');
const status = isBuilt(root) ? 0 : await buildFolder(root);
if (status === 0) await import('../dist/src/cli/grantbook.js');
else process.exitCode = status;
