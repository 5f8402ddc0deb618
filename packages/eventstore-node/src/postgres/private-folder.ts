import { randomInt } from 'node:crypto';
import { chmod, chown, stat } from 'node:fs/promises';

/**
 * Closes a folder to every other user. A folder of root's can be passed through by one group, drawn at random, so that
 * no process is in it but the one that is started in it: PostgreSQL, which does not run as root.
 * @param group which one, when it was drawn for the folder above
 * @returns that group; null for a folder of an ordinary user, and where the system has no such group to give
 */
export async function closeFolder(folder: string, group?: number | null): Promise<number | null> {
  const { uid } = await stat(folder);
  if (uid !== 0 || !isRoot()) {
    if (isRoot() || uid === process.getuid?.()) await chmod(folder, 0o700);
    return null;
  }
  const given = await giveTo(folder, group ?? undefined);
  await chmod(folder, given === null ? 0o711 : 0o710); // 711: it still has to pass; what is inside is closed by itself
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

/** Far from those that people and programs are in; in a container whose ids end at 65535 there is only the second. */
const drawGroups = (): readonly number[] => [randomInt(2 ** 30, 2 ** 31 - 1), randomInt(50_000, 60_000)];
