import { resolve } from 'node:path';
import { buildOrKeep } from './build-folder.js';

// The command line of a checkout: builds first if a source has changed since the last build.
const root = resolve(import.meta.dirname, '..');
const status = await buildOrKeep(root);
if (status === 0) await import('../dist/src/cli/grantbook.js');
else process.exitCode = status;
