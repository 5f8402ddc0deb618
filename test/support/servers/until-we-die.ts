import { existsSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';

/** A command line that ends with the test's process, if setpriv is available: a killed run leaves no processes. */
export const untilWeDie = (...command: readonly [string, ...string[]]): readonly [string, string[]] => {
  const [program, ...args] = command;
  return existsSync(SETPRIV) ? [SETPRIV, ['--pdeathsig', 'KILL', ...command]] : [program, args];
};
