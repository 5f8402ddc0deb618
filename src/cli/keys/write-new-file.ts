import { randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';

/**
 * Writes a file that only its owner may read, and puts it in its place when it is whole and on the disk. What the texts return is
 * passed on; null when there is a file of that name: it stays as it is.
 */
export const writeNewFile = async <T>(file: string, texts: AsyncGenerator<string, T>): Promise<T | null> => {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) await handle.write(next.value);
    await handle.sync();
    await link(partial, file); // unlike a rename it never replaces a file
    return next.value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
};
