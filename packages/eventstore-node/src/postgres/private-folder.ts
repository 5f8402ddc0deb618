import { randomInt } from 'node:crypto';
import { chmod, chown, stat } from 'node:fs/promises';

/**
 * Closes a folder to all other users. A folder of root grants access to one random group without other processes: only
 * PostgreSQL, which does not run as root, is started in it.
 * @param group the group, if one was already chosen for the folder above
 * @returns the group; null for a folder of an ordinary user, and if the system has no such group available
 */
export async function closeFolder(folder: string, group?: number | null): Promise<number | null> {
  const { uid } = await stat(folder);
  if (uid !== 0 || !isRoot()) {
    if (isRoot() || uid === process.getuid?.()) await chmod(folder, 0o700);
    return null;
  }
  const given = await giveTo(folder, group ?? undefined);
  await chmod(folder, given === null ? 0o711 : 0o710); // 711: PostgreSQL still has to pass; the contents have permissions of their own
  return given;
}

const isRoot = (): boolean => process.getuid?.() === 0;

async function giveTo(folder: string, group: number | undefined): Promise<number | null> {
  for (const gid of group === undefined ? drawGroups() : [group]) {
    if (await canGive(folder, gid)) return gid;
  }
  return null;
}

const canGive = (folder: string, gid: number): Promise<boolean> =>
  chown(folder, 0, gid).then(
    () => true,
    () => false,
  );

/** Far from the ids of people and programs; only the second range exists in a container whose ids end at 65535. */
const drawGroups = (): readonly number[] => [randomInt(2 ** 30, 2 ** 31 - 1), randomInt(50_000, 60_000)];
