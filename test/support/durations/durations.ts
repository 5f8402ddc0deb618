import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/process/package-root.ts';

/** What a file of tests takes on a quiet machine, in seconds: CPU of its process and of those it started, and time. */
export type Duration = { readonly cpu: number; readonly wall: number };

/** By path in the repository; made by `npm run durations`. */
export const readDurations = (): Readonly<Record<string, Duration>> =>
  JSON.parse(readFileSync(join(packageRoot, 'test/durations.json'), 'utf8')) as Record<string, Duration>;
