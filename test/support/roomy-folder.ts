import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const GIGABYTE = 2 ** 30;

/** In memory where there is room for data folders of PostgreSQL (a container may have 64 MB there), else the system's temporary folder. */
export const roomyFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= GIGABYTE ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir(); // no Linux
  }
};
