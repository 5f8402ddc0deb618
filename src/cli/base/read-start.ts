import { open } from 'node:fs/promises';

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
