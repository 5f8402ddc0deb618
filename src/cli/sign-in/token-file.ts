import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { NotAllowed } from '../../common/not-allowed.ts';
import { replaceFile } from '../base/whole-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Identifies the Grantbook installation: a person may be signed in to several. */
type Installation =
  { readonly eventStoreUrl: string | null; readonly dataDir: string } | { readonly server: string };

/** The file of a sign-in's token: `grantbook/token-<installation>` in XDG_CONFIG_HOME, by default `~/.config`; null without a home. */
export const tokenFileOf = (env: Environment, installation: Installation): string | null => {
  const { XDG_CONFIG_HOME: folder = '', HOME: home = '' } = env;
  const config = isAbsolute(folder) ? folder : isAbsolute(home) ? join(home, '.config') : null;
  return config && join(config, 'grantbook', `token-${digestOf(installation)}`);
};

/** User and options in the URL of an event store do not matter: it is the same. */
const digestOf = (installation: Installation): string =>
  createHash('sha256').update(nameOf(installation)).digest('hex').slice(0, 16);

const nameOf = (installation: Installation): string =>
  'server' in installation
    ? `api of ${installation.server}`
    : (installation.eventStoreUrl?.replace(/^([^/]*\/\/)(?:[^/?]*@)?([^/?]*).*$/s, '$1$2') ??
      resolve(installation.dataDir));

/** `given`: no login made it, so none ends it. */
export type KeptToken = { readonly token: string; readonly given: boolean };

/** Null when nobody is signed in. @throws NotAllowed when other users may read the file */
export const readTokenFile = async (file: string): Promise<KeptToken | null> => {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0)
      throw new NotAllowed('token-readable', `other users may read ${file}: run chmod 600, or sign in again`);
    const [token = '', mark] = (await readFile(file, 'utf8')).trim().split('\n');
    return { token, given: mark === 'given' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

export const writeTokenFile = async (file: string, { token, given }: KeptToken): Promise<void> => {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await replaceFile(file, linesOf(given ? [token, 'given'] : [token]));
};

// eslint-disable-next-line @typescript-eslint/require-await
async function* linesOf(lines: readonly string[]): AsyncGenerator<string, void> {
  yield* lines.map((line) => `${line}\n`);
}

export const removeTokenFile = (file: string): Promise<void> => rm(file, { force: true });
