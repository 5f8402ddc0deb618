import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { closeFolder } from './private-folder.ts';

type User = { readonly uid: number; readonly gid: number };

/** How a PostgreSQL program is started: directly, or wrapped so that it runs as another user. */
export type RunAs = {
  readonly command: (program: string, args: readonly string[]) => readonly [string, readonly string[]];
  /** User and group for `spawn`; undefined if the wrapper sets them. */
  readonly ids: User | undefined;
  /** Who must own the files that PostgreSQL writes; undefined if it is the current user. */
  readonly owner: User | undefined;
};

/** PostgreSQL refuses to run as root; `nobody` is the only other user that exists on every Linux. */
const NOBODY: User = { uid: 65_534, gid: 65_534 };

/**
 * Below a folder that only root may enter (a project in /root), the other user needs this one capability;
 * `no_setuid_fixup` makes access(2), which initdb uses, respect it.
 */
const MAY_TRAVERSE = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
];

/** A fast shutdown when the parent process ends, even after kill -9. */
const DIES_WITH_PARENT = ['--pdeathsig', 'INT'];

/**
 * Chooses how to run `program` with the fewest rights and with access to `folder`, which is closed to other users.
 * Under root that is `nobody` in a group of its own, so that other processes of `nobody` have no access. Exception: if
 * the service of an ordinary user has created the folder, PostgreSQL runs as that user.
 * @param group chosen for the folder above, see `closeFolder`
 * @throws if there is no way, with advice
 */
export async function chooseRunAs(program: string, folder: string, group?: number | null): Promise<RunAs> {
  const isRoot = process.getuid?.() === 0;
  const ways = isRoot ? waysFor(await userFor(folder, group)) : [withSetpriv([]), direct()];
  const check = `test -x "$1" && test -x "$2"${isRoot ? '' : ' && test -w "$2"'}`;
  const chosen = ways.find((way) => canUse(way, check, program, folder));
  if (chosen) return chosen;
  throw new Error(isRoot ? adviceForRoot(program, folder) : adviceForUser(program, folder));
}

async function userFor(folder: string, group?: number | null): Promise<User> {
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { uid, gid };
  return { uid: NOBODY.uid, gid: (await closeFolder(folder, group)) ?? NOBODY.gid };
}

function waysFor(user: User): readonly RunAs[] {
  const asUser = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return [withSetpriv(asUser, user), withSetpriv([...MAY_TRAVERSE, ...asUser], user), direct(user)];
}

const withSetpriv = (flags: readonly string[], owner?: User): RunAs => ({
  command: (program, args) => ['setpriv', [...flags, ...DIES_WITH_PARENT, program, ...args]],
  ids: undefined,
  owner,
});

const direct = (user?: User): RunAs => ({
  command: (program, args) => [program, args],
  ids: user,
  owner: user,
});

function canUse(way: RunAs, check: string, program: string, folder: string): boolean {
  const [command, args] = way.command('/bin/sh', ['-c', check, 'sh', program, folder]);
  return spawnSync(command, args, { cwd: '/', stdio: 'ignore', ...way.ids }).status === 0;
}

const adviceForRoot = (program: string, folder: string) =>
  `PostgreSQL does not run as root, and no other user can both run ${program} and write into ${folder}. ` +
  'Start it as an ordinary user, or move the project and the data folder to where others may enter ' +
  '(such as /opt and /var/lib), or give the URL of a running server (DATABASE_URL).';

const adviceForUser = (program: string, folder: string) =>
  `cannot run ${program} or cannot write into ${folder}. ` +
  'Check who owns that folder (another user may have started it before), or give the URL of a running server (DATABASE_URL).';
