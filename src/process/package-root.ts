import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: the same for the sources and for the compiled files in `dist`, which contain no SQL. */
export const packageRoot: string = findUp(dirname(fileURLToPath(import.meta.url)));

/** SQL files are not compiled; they are read from the sources. */
export const migrationsDir: string = join(packageRoot, 'src/projections/migrations');

/** The tutorial for add-ons, in Markdown; the image has it, too. */
export const readTutorial = (): string =>
  readFileSync(join(packageRoot, 'docs/tutorials/connect-your-first-add-on.md'), 'utf8');

export const packageVersion: string = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { readonly version: string }
).version;

function findUp(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json is missing above the program files');
  return findUp(parent);
}
