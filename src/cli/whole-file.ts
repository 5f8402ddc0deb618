import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file that only its owner may read, and puts it in its place when it is whole and on the disk, whether there is one of that
 * name already or not: whoever reads it meanwhile reads the old one or the new one. What the texts return is passed on.
 */
export const replaceFile = <T>(file: string, texts: AsyncGenerator<string, T>): Promise<T> =>
  writeBeside(file, texts, (partial) => rename(partial, file));

/** The same, but null when there is a file of that name: it stays as it is. */
export const writeNewFile = async <T>(file: string, texts: AsyncGenerator<string, T>): Promise<T | null> => {
  try {
    return await writeBeside(file, texts, (partial) => link(partial, file)); // unlike a rename it never replaces a file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
};

const writeBeside = async <T>(
  file: string,
  texts: AsyncGenerator<string, T>,
  putInPlace: (partial: string) => Promise<void>,
): Promise<T> => {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) await handle.write(next.value);
    await handle.sync();
    await putInPlace(partial);
    return next.value;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
};
