import type { Command } from 'commander';
import { entities } from '../../src/tasks/entities.ts';
import { commandOf } from '../../src/tasks/places.ts';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { pathOf } from '../../src/cli/base/details.ts';
import { makeProgram } from '../../src/cli/run-cli.ts';
import { fill } from './fill.ts';
import { code } from './table.ts';

export const commandLinePage = async (): Promise<string> => {
  const program = await makeProgram(null, {} as CliIo, () => Promise.resolve());
  return fill('command-line.md', { commands: program.commands.map(sectionOf).join('\n\n') });
};

const sectionOf = (group: Command): string =>
  [
    `## ${group.name()}`,
    leavesOf(group)
      .map((command) => `- ${code(usageOf(command))}${isSaid(command) ? '' : `: ${command.description()}`}`)
      .join('\n'),
  ].join('\n\n');

/** The name of a task or a list says what it does. */
const isSaid = (command: Command): boolean => {
  const path = wordsOf(command);
  return (
    ['list', 'show'].includes(command.name()) ||
    (path.includes(' ') && command.description().startsWith(path)) ||
    entities.some((about) =>
      [...about.tasks, ...(about.making ?? []), ...(about.parts ?? [])].some(
        (one) => commandOf(about, one) === path,
      ),
    )
  );
};

const wordsOf = (command: Command): string => pathOf(command).replace(/^grantbook /, '');

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Options that the page describes once. */
const everywhere = ['--json', '--reason <text>', '--yes', '--columns <names>'];
const ofLists = ['--limit <n>', '--after <cursor>'];
const nextPage = '--after <cursor>';

const usageOf = (command: Command): string => {
  const isList = command.options.some(({ flags }) => flags === nextPage);
  const described = [...everywhere, ...(isList ? ofLists : [])];
  return [
    wordsOf(command),
    ...command.registeredArguments.map((argument) => {
      const shown = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
      return argument.required ? shown : `[${shown}]`;
    }),
    ...command.options
      .filter(({ flags }) => !described.includes(flags))
      .map(({ flags, mandatory }) => {
        const shown = flags.replace(/^-\w, /, '').replace(/<.*?>/, '…');
        return mandatory ? shown : `[${shown}]`;
      }),
  ].join(' ');
};
