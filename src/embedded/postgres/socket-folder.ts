import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LONGEST_SOCKET_PATH = 103; // sockaddr_un holds 108 bytes on Linux, 104 on macOS, with the closing zero

/** Whether a unix socket of this path can exist; longer paths are cut off or refused by the kernel. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;

export type SocketFolder = { readonly path: string; remove(): Promise<void> };

/** A folder for the socket that only `owner` (or we) may enter: inside `folder`, or a short one when that is too long. */
export async function makeSocketFolder(folder: string, owner: number | undefined): Promise<SocketFolder> {
  const inside = join(folder, 'run');
  const path = fitsSocket(join(inside, '.s.PGSQL.5432'))
    ? inside
    : await mkdtemp(join(shortTmp(), 'grantbook-'));
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  if (owner !== undefined) await chown(path, owner, owner);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

const shortTmp = () => (fitsSocket(join(tmpdir(), 'grantbook-123456', '.s.PGSQL.5432')) ? tmpdir() : '/tmp');
