import { open, rename, rm } from 'node:fs/promises';

/** Written together, so that a line does not cost a call. */
const chunkChars = 1 << 18;

/**
 * Writes a file beside its place and moves it there when it is whole and on the disk: at no moment is there one that only looks
 * whole. What the texts return is passed on.
 * @throws what the texts throw; nothing is left behind then
 */
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
