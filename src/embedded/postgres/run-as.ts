import { spawnSync } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';

type User = { readonly uid: number; readonly gid: number };

/** How a PostgreSQL program is started: directly, or wrapped so that it runs as another user. */
export type RunAs = {
  readonly command: (program: string, args: readonly string[]) => readonly [string, readonly string[]];
  /** Ids for `spawn`; undefined when the wrapper takes care of them. */
  readonly ids: User | undefined;
  /** Who must own what PostgreSQL writes; undefined when that is us. */
  readonly owner: User | undefined;
};

/** PostgreSQL refuses to run as root; `nobody` is the one other user that every Linux has. */
const NOBODY: User = { uid: 65_534, gid: 65_534 };

/**
 * Below a folder that only root may enter (a project in /root), the other user needs this one capability;
 * `no_setuid_fixup` makes access(2), which initdb asks, take it into account.
 */
const MAY_TRAVERSE = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
];

/** A fast shutdown when the process that started it is gone, even after kill -9. */
const DIES_WITH_PARENT = ['--pdeathsig', 'INT'];

/**
 * Chooses the way with the fewest rights that can run `program` and write into `folder`. Under root the folder is
 * given to `nobody`, unless an ordinary user's service has made it: then PostgreSQL runs as that user.
 * @throws when there is no way, with what to do about it
 */
export async function chooseRunAs(program: string, folder: string): Promise<RunAs> {
  const ways = process.getuid?.() === 0 ? waysFor(await ownerOf(folder)) : [withSetpriv([]), direct()];
  const chosen = ways.find((way) => canUse(way, program, folder));
  if (chosen) return chosen;
  throw new Error(process.getuid?.() === 0 ? adviceForRoot(program, folder) : adviceForUser(program, folder));
}

async function ownerOf(folder: string): Promise<User> {
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { uid, gid };
  await chown(folder, NOBODY.uid, NOBODY.gid).catch(() => undefined); // where that is impossible, no way works below
  return NOBODY;
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

function canUse(way: RunAs, program: string, folder: string): boolean {
  const check = 'test -x "$1" && test -w "$2" && test -x "$2"';
  const [command, args] = way.command('/bin/sh', ['-c', check, 'sh', program, folder]);
  return spawnSync(command, args, { cwd: '/', stdio: 'ignore', ...way.ids }).status === 0;
}

const adviceForRoot = (program: string, folder: string) =>
  `PostgreSQL does not run as root, and no other user can both run ${program} and write into ${folder}. ` +
  'Start the service as an ordinary user, or move the project and DATA_DIR to folders that others may enter ' +
  '(such as /opt and /var/lib/grantbook), or set DATABASE_URL to a running server.';

const adviceForUser = (program: string, folder: string) =>
  `cannot run ${program} or cannot write into ${folder}. ` +
  'Check who owns DATA_DIR (another user may have started the service before), or set DATABASE_URL.';
