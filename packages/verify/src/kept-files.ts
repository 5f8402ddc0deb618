import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { timestampFileOf } from './deposit-file.ts';
import { BadJws, jwks, type Jwks } from './jws.ts';
import { verifyHead } from './log-head.ts';
import { BadTimestamp, verifyTimestamp } from './timestamp.ts';
import type { DepositFile } from './verify-deposits.ts';

/** A head that a log is compared with, and its name in messages. */
export type ComparedHead = {
  readonly name: string;
  readonly size: number;
  readonly root: string;
  readonly position?: string;
};

export const isDirectory = 'it is a directory';

/** Why the file cannot be read, in words; null if it can. */
export const whyUnreadable = async (file: string): Promise<string | null> => {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) return found.code === 'ENOENT' ? 'no such file' : (found.code ?? found.name);
  return found.isDirectory() ? isDirectory : null;
};

/** In bytes. More than any head or key file that is kept for checks has. */
const mostBytes = 1024 * 1024;

/** The text of a small file, or the reason why it cannot be read. */
export const readSmallFile = async (file: string): Promise<{ readonly text: string } | string> => {
  const unreadable = await whyUnreadable(file);
  if (unreadable !== null) return `cannot be read: ${unreadable}`;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    if ((length += chunk.length) > mostBytes) return 'is larger than 1 MiB';
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8') };
};

/** The keys in the file, or the reason why there are none. */
export const readJwks = async (file: string): Promise<Jwks | string> => {
  const read = await readSmallFile(file);
  if (typeof read === 'string') return read;
  try {
    const found = jwks.safeParse(JSON.parse(read.text));
    return found.success ? found.data : 'contains no JWK Set (RFC 7517 §5)';
  } catch {
    return 'is not JSON';
  }
};

/** The timestamp file next to a head file; null if there is none. */
export const timestampBeside = async (file: string): Promise<DepositFile | null> => {
  const path = timestampFileOf(file);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return bytes && { name: basename(path), bytes };
};

/** A stored head of the log with a verified signature; or the reason why there is none. */
export const readHead = async (
  file: string,
  kept: Jwks | null,
  authorities: readonly Buffer[] = [],
): Promise<ComparedHead | { readonly unreadable: string } | { readonly bad: string }> => {
  const read = await readSmallFile(file);
  if (typeof read === 'string') return { unreadable: read };
  try {
    const { head } = await verifyHead(JSON.parse(read.text), kept);
    const timestamp = await timestampBeside(file);
    if (timestamp) await verifyTimestamp(timestamp.bytes, Buffer.from(read.text), authorities);
    return { name: `the head of ${file}`, size: head.size, root: head.root, position: head.position };
  } catch (error) {
    if (error instanceof SyntaxError) return { unreadable: 'is not JSON' };
    if (error instanceof BadJws) return { bad: error.message };
    if (error instanceof BadTimestamp) return { bad: `has a timestamp file that ${error.message}` };
    throw error;
  }
};
