import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Prefix of files that a process left behind when it ended while writing. */
const partial = '.head-';

/** Writes a deposit atomically and durably, and the folder where it is missing; the same bytes again are no error. @throws DepositDiffers */
export const writeDeposit = async (folder: string, name: string, bytes: string | Buffer): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const file = join(folder, name);
  const there = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (there?.equals(Buffer.from(bytes))) return;
  if (there) throw new DepositDiffers(`${name} already exists with different content`);
  await tidy(folder);
  const unfinished = join(folder, `${partial}${name}`);
  const handle = await open(unfinished, 'w', 0o640);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  await flush(folder);
};

/** A deposit is never overwritten: somebody else wrote this one, or the log is another one. */
export class DepositDiffers extends Error {
  override readonly name = 'DepositDiffers';
}

const tidy = async (folder: string): Promise<void> => {
  const left = (await readdir(folder)).filter((name) => name.startsWith(partial));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
};

const flush = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
