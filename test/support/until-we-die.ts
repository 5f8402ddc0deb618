import { existsSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

/** A command line that is killed with the test's process, where there is setpriv: a killed run leaves nothing. */
export const untilWeDie = (...command: readonly [string, ...string[]]): readonly [string, string[]] => {
  const [program, ...args] = command;
  return existsSync(SETPRIV) ? [SETPRIV, ['--pdeathsig', 'KILL', ...command]] : [program, args];
};
