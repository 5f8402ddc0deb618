import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Written together, because a call per line would be slow. */
const chunkBytes = 1 << 18;

type Texts<T> = AsyncGenerator<string | Buffer, T> | Generator<string | Buffer, T>;

/** Writes a file that only its owner may read, and replaces an existing one when it is complete and on disk. Returns the result of `texts`. */
export const replaceFile = async <T>(file: string, texts: Texts<T>): Promise<T> => {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    let waiting: Buffer[] = [];
    let bytes = 0;
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) {
      const part = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
      waiting.push(part);
      bytes += part.length;
      if (bytes < chunkBytes) continue;
      await handle.appendFile(Buffer.concat(waiting));
      [waiting, bytes] = [[], 0];
    }
    await handle.appendFile(Buffer.concat(waiting));
    await handle.sync();
    await rename(partial, file);
    return next.value;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
};

/** The code of a file system error; null for every other error. */
export const fileTrouble = (error: unknown): string | null => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const isFile = syscall !== undefined && /^(open|read|write|fsync|scandir)$/.test(syscall);
  return isFile && code !== undefined ? code : null;
};

/** The first bytes of a file, at most `most`; null if it cannot be read. */
export const readStart = async (file: string, most: number): Promise<Buffer | null> => {
  try {
    const handle = await open(file);
    try {
      const stream = handle.createReadStream({ end: most - 1, autoClose: false });
      const parts: Buffer[] = [];
      for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
      return Buffer.concat(parts);
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
};
