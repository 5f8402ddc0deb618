import type { Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { builtCommit } from '../process/built-commit.ts';
import { packageVersion } from '../process/package-root.ts';
import { textFor, type Answer } from './base/answer.ts';
import type { CliIo, HowOpened, RunIo } from './base/cli-io.ts';
import { addDetails } from './command-details.ts';
import { jsonText } from './base/printable.ts';
import { reasonOf, type AddCommands, type Run } from './base/define.ts';

export type Group = {
  /** What the top-level help says of each, which needs no group loaded. */
  readonly commands: Readonly<Record<string, string>>;
  /** Of several that share a line of the top-level help. */
  readonly inContents?: string;
  readonly heading: string;
};

/** A group with its commands, which are loaded for the command that is run. */
export type LoadedGroup = Group & { readonly load: () => Promise<AddCommands> };

export type Program = {
  readonly groups: readonly LoadedGroup[];
  /** The message about a thrown error; loaded with the first one. */
  readonly explain: (error: unknown) => Promise<Answer>;
};

/** Runs one command line. @returns the exit code: 0 done, 1 refused or servers not reached, 2 usage error */
export const runProgram = async (
  args: readonly string[],
  io: RunIo,
  { groups, explain }: Program,
): Promise<number> => {
  const asJson = args.includes('--json');
  let exitCode = 0;
  const run: Run = async (action) => {
    const say = (said: Answer) => print(io, asJson, said);
    const said = await action(say);
    if (said === null) return;
    say(said);
    exitCode = said.exitCode;
  };
  try {
    if (isVersionAsked(args)) {
      print(io, asJson, version);
      return 0;
    }
    const program = await defineProgram(args, io, run, groups);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const said = await explain(error);
      print(io, asJson, said);
      return said.exitCode;
    }
    if (error.exitCode === 0) return 0;
    const message =
      error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    if (asJson) io.stdout.write(`${jsonText({ error: { code: 'usage', message } })}\n`);
    return 2;
  }
};

/** `--version` counts only by itself, or with --json: elsewhere it is an option of a command (`projections drop NAME --version 1`). */
const isVersionAsked = (args: readonly string[]): boolean => {
  const [first, ...more] = args.filter((arg) => arg !== '--json');
  return (first === '--version' || first === '-V') && more.length === 0;
};

/** The command's group, after options of the whole program. */
const firstWordOf = (args: readonly string[]): string =>
  args.find(
    (arg, index) =>
      !/^--(?:json|server(?:=.*)?)$/.test(arg) && arg !== 'help' && args[index - 1] !== '--server',
  ) ?? '';

const version: Answer = {
  exitCode: 0,
  json: { version: packageVersion, commit: builtCommit },
  text: `grantbook ${packageVersion}, commit ${builtCommit}`,
};

/** @param args only their group is loaded, the others have no more than a name; null loads all */
export const defineProgram = async (
  args: readonly string[] | null,
  io: RunIo,
  run: Run,
  groups: readonly LoadedGroup[],
): Promise<Command> => {
  const program = new Command('grantbook')
    .description('Operate a Grantbook: add-ons, organizations, users, activations and records.')
    .option('--json', 'answer with one JSON document on standard output')
    .option('--server <url>', 'over the API of this service, without keys (also GRANTBOOK_SERVER)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(add --help to see what is allowed)');
  program.helpInformation = () => contentsOf(groups);
  const word = args === null ? '' : firstWordOf(args);
  const shown = groups.filter(({ commands }) => Object.hasOwn(commands, word));
  const isWhole = args === null || shown.length === 0;
  const loaded = await Promise.all(
    (isWhole ? groups : shown).map(async (group) => ({
      ...group,
      add: args === null || !isWhole ? await group.load() : () => undefined,
    })),
  );
  let reason: string | undefined;
  program.hook('preAction', (_program, command) => {
    reason = reasonOf(command);
  });
  const withReason = (how?: HowOpened): HowOpened => ({ ...how, ...(reason !== undefined && { reason }) });
  const openService: CliIo['openService'] = (who, how) => io.openService(who, withReason(how));
  const openTasks: CliIo['openTasks'] = async (how) => {
    const { tasksOver } = await import('./base/tasks.ts');
    return tasksOver(await io.openApi(how?.isByMember ? 'member' : 'operator', how), reason);
  };
  for (const { commands, add } of loaded) {
    add(program, { ...io, openService, openTasks }, run);
    for (const [name, summary] of Object.entries(commands)) {
      const command = program.commands.find((one) => one.name() === name) ?? program.command(name);
      command.summary(summary);
      if (command.description() === '') command.description(summary);
    }
  }
  addDetails(program);
  return program.helpCommand(true);
};

/** The top-level help, on one screen of 24 lines. */
const contentsOf = (
  groups: readonly Group[],
): string => `Usage: grantbook COMMAND [options]   (COMMAND --help: details, an example, JSON)

${groups
  .map(({ commands, heading, inContents }, index) => {
    const names = Object.keys(commands).join(', ');
    const shown = groups[index - 1]?.heading === heading ? '' : heading;
    return `${shown.padEnd(12)} ${names.padEnd(12)}  ${inContents ?? Object.values(commands).join('; ')}`;
  })
  .join('\n')}

--json: print one JSON document. --version. --server URL: over the API.
Exit codes: 0 done, 1 refused or a server could not be reached, 2 a usage error.
`;

const print = ({ stdout, stderr }: RunIo, asJson: boolean, { exitCode, json, text }: Answer) => {
  if (asJson) stdout.write(`${jsonText(json)}\n`);
  else {
    const output: Writable & { readonly columns?: number } = exitCode === 0 ? stdout : stderr;
    output.write(`${textFor(output.columns ?? Infinity, text)}\n`);
  }
};
