import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';

/** SQL files are not compiled: they are read from the sources. */
export const migrationsDir = join(packageRoot, 'src/projections/migrations');
