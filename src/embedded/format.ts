import { constants, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDirUnusable, leaveToOwner } from './data-dir.ts';

/** Of what is in the data folder. A version that changes it, so that this one cannot use it, counts up. */
const format = '1';
const file = 'FORMAT';

/** The data of a folder are of another format, or of before there was one. */
export class DataDirForeign extends DataDirUnusable {
  readonly why: string;
  readonly advice = 'set DATA_DIR to an empty folder';
  constructor(why: string) {
    super(`${why}: set DATA_DIR to an empty folder`);
    this.why = why;
  }
}

/** Changes nothing. @returns whether the folder says its format @throws DataDirForeign */
export async function refuseOtherFormat(dataDir: string): Promise<boolean> {
  const isUsed = await exists(join(dataDir, 'postgres')); // asked first: the format is noted before the data are made
  const found = await readFile(join(dataDir, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isUsed && error.code !== 'ENOENT') throw error;
    return '';
  });
  if (found.trim() === format) return true;
  if (found === '' && !isUsed) return false;
  const why =
    found === ''
      ? 'was made before version 1.0.0, and nothing converts it'
      : `has the format ${found.trim()}, and this version knows only ${format}`;
  throw new DataDirForeign(`DATA_DIR ${dataDir}, in which nothing was changed, ${why}`);
}

/** Called once, by the folder's only user, before there are data: a start that is killed meanwhile begins again. */
export async function noteFormat(dataDir: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const opened = await open(join(dataDir, file), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    await leaveToOwner(dataDir, opened);
    await opened.writeFile(`${format}\n`);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
