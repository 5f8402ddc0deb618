import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { RunAs } from './run-as.ts';

const LONGEST_SOCKET_PATH = 103; // sockaddr_un holds 108 bytes on Linux, 104 on macOS, with the closing zero

/** Whether a unix socket can have this path; the kernel truncates or refuses longer ones. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;

export type SocketFolder = { readonly path: string; remove(): Promise<void> };

/**
 * A folder for the socket, accessible only to `owner` (or us): inside `folder`, or a short one if that path is too
 * long.
 */
export async function makeSocketFolder(folder: string, owner: RunAs['owner']): Promise<SocketFolder> {
  const inside = join(folder, 'run');
  const path = fitsSocket(join(inside, '.s.PGSQL.5432')) ? inside : await mkdtemp(join(shortTmp(), PREFIX));
  if (path === inside) await rm(path, { recursive: true, force: true }); // the lock file of a killed server contains a pid, too
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  if (owner) await chown(path, owner.uid, owner.gid);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

const PREFIX = 'grantbook-socket-';

const shortTmp = () => (fitsSocket(join(tmpdir(), `${PREFIX}123456`, '.s.PGSQL.5432')) ? tmpdir() : '/tmp');

/** Removes the folder that a killed service left outside its data folder; any other folder is not touched. */
export async function removeShortSocketFolder(path: string): Promise<void> {
  if (basename(path).startsWith(PREFIX)) await rm(path, { recursive: true, force: true });
}
