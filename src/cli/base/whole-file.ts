import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';

type Texts<T> = AsyncGenerator<string | Buffer, T> | Generator<string | Buffer, T>;

/** Writes a file that only its owner may read, and replaces an existing one when it is complete and on disk. Returns the result of `texts`. */
export const replaceFile = <T>(file: string, texts: Texts<T>): Promise<T> =>
  writeBeside(file, texts, (partial) => rename(partial, file));

/** The same, but returns null if the file exists, and leaves it unchanged. */
export const writeNewFile = async <T>(file: string, texts: Texts<T>): Promise<T | null> => {
  try {
    return await writeBeside(file, texts, (partial) => link(partial, file)); // unlike rename, link never replaces a file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
};

const writeBeside = async <T>(
  file: string,
  texts: Texts<T>,
  putInPlace: (partial: string) => Promise<void>,
): Promise<T> => {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) await handle.appendFile(next.value);
    await handle.sync();
    await putInPlace(partial);
    return next.value;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
};

/** The code of a file system error; null for every other error. */
export const fileTrouble = (error: unknown): string | null => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const isFile = syscall !== undefined && /^(open|read|write|link|fsync|scandir)$/.test(syscall);
  return isFile && code !== undefined ? code : null;
};
