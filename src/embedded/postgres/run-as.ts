import { spawnSync } from 'node:child_process';

/** How a PostgreSQL program is started: directly, or wrapped so that it runs as another user. */
export type RunAs = {
  readonly command: (program: string, args: readonly string[]) => readonly [string, readonly string[]];
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** Owner of the files that PostgreSQL writes; undefined when that is us. */
  readonly owner: number | undefined;
};

/** PostgreSQL refuses to run as root; `nobody` is the one other user that every Linux has. */
export const NOBODY = 65_534;

const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
/** Below a folder that only root may enter, nobody needs this one capability; `no_setuid_fixup` makes access(2) see it. */
const MAY_TRAVERSE = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
];
/** A fast shutdown when the process that started it is gone, even after kill -9. */
const DIES_WITH_PARENT = ['--pdeathsig', 'INT'];

const withSetpriv = (flags: readonly string[], owner?: number): RunAs => ({
  command: (program, args) => ['setpriv', [...flags, ...DIES_WITH_PARENT, program, ...args]],
  ids: undefined,
  owner,
});

const direct = (ids?: { uid: number; gid: number }): RunAs => ({
  command: (program, args) => [program, args],
  ids,
  owner: ids?.uid,
});

/**
 * Chooses the way with the fewest rights that can run `program` and write into `folder`.
 * @throws when root has no way to do so, with what to do about it
 */
export function chooseRunAs(program: string, folder: string, isRoot = process.getuid?.() === 0): RunAs {
  const works = (way: RunAs) => canUse(way, program, folder);
  const ways = isRoot
    ? [
        withSetpriv(AS_NOBODY, NOBODY),
        withSetpriv([...MAY_TRAVERSE, ...AS_NOBODY], NOBODY),
        direct({ uid: NOBODY, gid: NOBODY }),
      ]
    : [withSetpriv([]), direct()];
  const chosen = ways.find(works);
  if (chosen) return chosen;
  throw new Error(
    isRoot
      ? `PostgreSQL does not run as root, and the user nobody cannot enter ${folder} or run ${program}. ` +
          'Start the service as an ordinary user, or move the project out of the protected folder and ' +
          'set DATA_DIR to a folder that others may enter (for example /var/lib/grantbook), or set DATABASE_URL.'
      : `cannot run ${program} or write into ${folder}. Check who owns DATA_DIR, or set DATABASE_URL.`,
  );
}

function canUse(way: RunAs, program: string, folder: string): boolean {
  const [command, args] = way.command('/bin/sh', [
    '-c',
    'test -x "$1" && test -w "$2" && test -x "$2"',
    'sh',
    program,
    folder,
  ]);
  const { status } = spawnSync(command, args, { cwd: '/', stdio: 'ignore', ...way.ids });
  return status === 0;
}
