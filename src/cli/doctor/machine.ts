import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { openFileLimit } from '../../process/open-file-limit.ts';
import { isAtLeast, ok, warning, failure, type Finding, type Check } from './finding.ts';

const nodeFloor = '20.19';
/** Major versions of Node up to this one get no security fixes (from April 2026 on). */
const nodeEnded = 20;

/** Checks of the local machine. `dataDir`: null when nothing is embedded. */
export const machineChecks = (dataDir: string | null): readonly Check[] => [
  { check: 'node', run: () => Promise.resolve(checkNode(process.versions.node)) },
  { check: 'open files', run: () => Promise.resolve(checkFileLimit()) },
  ...(dataDir === null ? [] : [{ check: 'disk of DATA_DIR', run: () => checkDisk(dataDir) }]),
];

export const checkNode = (version: string): Finding => {
  if (!isAtLeast(version, nodeFloor))
    return failure('node', version, `run it on Node ${nodeFloor} or later, best on 24`);
  if (Number.parseInt(version, 10) <= nodeEnded)
    return warning('node', version, 'this version gets no more security fixes: use Node 24');
  return ok('node', version);
};

const enoughFiles = 4096;

const checkFileLimit = (): Finding | readonly Finding[] => {
  const limit = openFileLimit();
  if (limit === null) return [];
  if (limit >= enoughFiles) return ok('open files', `${limit === Infinity ? 'unlimited' : limit} allowed`);
  return warning(
    'open files',
    `${limit} allowed`,
    `allow ${enoughFiles} or more (\`ulimit -n\`, LimitNOFILE): each client is one`,
  );
};

const GIB = 2 ** 30;

export const checkDisk = async (dataDir: string, stat: typeof statfs = statfs): Promise<Finding> => {
  const check = 'disk of DATA_DIR';
  const { bavail, bsize } = await stat(existing(dataDir));
  const free = bavail * bsize;
  const found = `${(free / GIB).toFixed(1)} GiB free in ${dataDir}`;
  if (free < GIB / 4)
    return failure(check, found, 'free disk space now: PostgreSQL stops when the disk is full');
  if (free < 2 * GIB) return warning(check, found, 'free disk space: at least 2 GiB');
  return ok(check, found);
};

/** Before the first start the folder does not exist; its nearest existing parent is on the same disk. */
const existing = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
