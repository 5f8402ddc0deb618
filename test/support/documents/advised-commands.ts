import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/process/package-root.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';

/** The text between backticks in an advice. */
export const commandsIn = (advice: string): readonly string[] =>
  [...advice.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);

/** The unknown ones among these commands: neither of our command line, nor of npm's scripts, nor one of the shell that is meant. */
export const unknownCommands = async (commands: readonly string[]): Promise<readonly string[]> => {
  const known = await Promise.all(commands.map(isKnown));
  return commands.filter((_command, index) => !known[index]);
};

const isKnown = async (command: string): Promise<boolean> => {
  const [program = '', ...words] = command.split(' ');
  if (program === 'grantbook') return isOurs(words);
  if (program === 'npm') return scripts.has(words[0] ?? '');
  return program === 'ulimit';
};

/** Whether the command's help contains every option. */
const isOurs = async (words: readonly string[]): Promise<boolean> => {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const names = end === -1 ? words : words.slice(0, end);
  const { exitCode, stdout } = await runGrantbook([...names, '--help']);
  const options = words.filter((word) => word.startsWith('--'));
  return (
    exitCode === 0 &&
    new RegExp(`^Usage: grantbook ${names.join(' ')}( |$)`, 'm').test(stdout) &&
    options.every((option) => stdout.includes(` ${option} `))
  );
};

const scripts = new Set(
  Object.keys(
    (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { scripts: object }).scripts,
  ),
);

/** Parts of documents that an advice refers to and that do not exist. */
export const missingParts = (advice: string): readonly string[] =>
  [...advice.matchAll(/(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g)]
    .filter(([, file = '', heading]) => {
      const page = join(packageRoot, file);
      if (!existsSync(page)) return true;
      return (
        heading !== undefined &&
        !readFileSync(page, 'utf8')
          .split('\n')
          .some((line) => line.replace(/^#+ /, '') === heading)
      );
    })
    .map(([part]) => part);
