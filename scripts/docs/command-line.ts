import type { Command } from 'commander';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { detailsOf, pathOf } from '../../src/cli/base/details.ts';
import { makeProgram } from '../../src/cli/run-cli.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const commandLinePage = async (): Promise<string> => {
  const program = await makeProgram(null, {} as CliIo, () => Promise.resolve());
  return fill('command-line.md', { commands: program.commands.map(sectionOf).join('\n\n') });
};

const sectionOf = (group: Command): string =>
  [
    `## ${group.name()}`,
    table(
      ['command', 'does', 'effect', 'JSON'],
      leavesOf(group).map((command) => [
        code(usageOf(command)),
        command.description(),
        detailsOf(command).effect ?? '',
        keysOf(command, group),
      ]),
    ),
  ].join('\n\n');

/** The keys; those of the group's `show` are listed once. */
const keysOf = (command: Command, group: Command): string => {
  const { json = [] } = detailsOf(command);
  const show = group.commands.find((one) => one.name() === 'show');
  const { json: shown = [] } = show ? detailsOf(show) : {};
  const isAsShown = command !== show && shown.length > 0 && shown.every((key) => json.includes(key));
  if (!isAsShown) return codes(json);
  return ['as `show`', ...json.filter((key) => !shown.includes(key)).map(code)].join(', ');
};

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Options that the page describes once. */
const everywhere = ['--json', '--reason <text>', '--yes'];

const usageOf = (command: Command): string =>
  [
    pathOf(command).replace(/^grantbook /, ''),
    ...command.registeredArguments.map((argument) => {
      const shown = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
      return argument.required ? shown : `[${shown}]`;
    }),
    ...command.options
      .filter(({ flags }) => !everywhere.includes(flags))
      .map(({ flags, mandatory }) => {
        const shown = flags
          .replace(/^-\w, /, '')
          .replace(
            /<(.*?)(\.\.\.)?>/,
            (_all, name: string, more = '') => name.toUpperCase() + (more === '' ? '' : '…'),
          );
        return mandatory ? shown : `[${shown}]`;
      }),
  ].join(' ');
