import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const GIGABYTE = 2 ** 30;

/**
 * A folder in memory if there is room for data folders of PostgreSQL (a container may have only 64 MB), otherwise the
 * system's temporary folder.
 */
export const roomyFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= GIGABYTE ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir(); // not Linux
  }
};
