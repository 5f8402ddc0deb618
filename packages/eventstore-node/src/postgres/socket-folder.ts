import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { RunAs } from './run-as.ts';

const LONGEST_SOCKET_PATH = 103; // sockaddr_un holds 108 bytes on Linux, 104 on macOS, with the closing zero

/** Whether a unix socket of this path can exist; longer paths are cut off or refused by the kernel. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;

export type SocketFolder = { readonly path: string; remove(): Promise<void> };

/** A folder for the socket that only `owner` (or we) may enter: inside `folder`, or a short one when that is too long. */
export async function makeSocketFolder(folder: string, owner: RunAs['owner']): Promise<SocketFolder> {
  const inside = join(folder, 'run');
  const path = fitsSocket(join(inside, '.s.PGSQL.5432')) ? inside : await mkdtemp(join(shortTmp(), PREFIX));
  if (path === inside) await rm(path, { recursive: true, force: true }); // the lock of a killed server names a pid, too
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  if (owner) await chown(path, owner.uid, owner.gid);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

const PREFIX = 'grantbook-socket-';

const shortTmp = () => (fitsSocket(join(tmpdir(), `${PREFIX}123456`, '.s.PGSQL.5432')) ? tmpdir() : '/tmp');

/** Removes what a killed service left outside of its data folder; any other folder is left alone. */
export async function removeShortSocketFolder(path: string): Promise<void> {
  if (basename(path).startsWith(PREFIX)) await rm(path, { recursive: true, force: true });
}
