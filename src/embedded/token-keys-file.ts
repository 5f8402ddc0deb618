import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.ts';

const FILE = 'token-keys';

/**
 * The keys of an installation that was given none: made once, kept in the data folder, readable by its owner only.
 * @returns the text as TOKEN_KEYS would have it
 */
export async function readTokenKeysFile(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const existing = await readFile(path, 'utf8').catch(absent);
  return existing?.trim() ?? (await makeTokenKeysFile(dataDir, path));
}

async function makeTokenKeysFile(dataDir: string, path: string): Promise<string> {
  await makeDataDir(dataDir);
  const unfinished = `${path}.${randomUUID()}`;
  const file = await open(unfinished, 'wx', 0o600);
  await file.writeFile(`k1:${randomBytes(32).toString('base64url')}\n`);
  await file.sync(); // tokens must not outlive the key that made them
  await file.close();
  await link(unfinished, path).catch(present); // never replaces the keys of somebody who was faster
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
