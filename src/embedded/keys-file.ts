import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.ts';

/**
 * The keys of an installation without configured keys: created once, stored in the data folder, readable by its owner
 * only.
 * @returns the text in the format of TOKEN_KEYS or PERSONAL_DATA_KEYS
 */
export async function readKeysFile(
  dataDir: string,
  name: 'token-keys' | 'personal-data-keys',
): Promise<string> {
  return (await keptKeys(dataDir, name)) ?? (await makeKeysFile(dataDir, join(dataDir, name)));
}

/** The same without creating any: null if there are none. */
export async function keptKeys(
  dataDir: string,
  name: 'token-keys' | 'personal-data-keys',
): Promise<string | null> {
  return (await readFile(join(dataDir, name), 'utf8').catch(absent))?.trim() ?? null;
}

async function makeKeysFile(dataDir: string, path: string): Promise<string> {
  await makeDataDir(dataDir);
  const unfinished = `${path}.${randomUUID()}`;
  const file = await open(unfinished, 'wx', 0o600);
  await file.writeFile(`k1:${randomBytes(32).toString('base64url')}\n`);
  await file.sync(); // the key must be on disk before anybody uses it
  await file.close();
  await link(unfinished, path).catch(present); // never replaces the keys of a faster process
  await rm(unfinished);
  return (await readFile(path, 'utf8')).trim();
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function present(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
