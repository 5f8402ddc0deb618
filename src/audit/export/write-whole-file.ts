import { open, rename, rm } from 'node:fs/promises';

/** Written together, because a call per line would be slow. */
const chunkChars = 1 << 18;

/** Writes a file under a temporary name and moves it when it is complete and on disk. @throws what the generator throws, leaving no file */
export const writeWholeFile = async <T>(file: string, texts: AsyncGenerator<string, T>): Promise<T> => {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w', 0o600);
  try {
    let waiting = '';
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) {
      waiting += next.value;
      if (waiting.length < chunkChars) continue;
      await handle.write(waiting);
      waiting = '';
    }
    await handle.write(waiting);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
    return next.value;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
};
