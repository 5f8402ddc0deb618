import { Command, CommanderError } from 'commander';
import { builtCommit } from '../process/built-commit.ts';
import { packageVersion } from '../process/package-root.ts';
import type { Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { reasonOf, type AddCommands, type Run } from './base/define.ts';

type Group = {
  readonly names: readonly string[];
  readonly heading: string;
  readonly load: () => Promise<AddCommands>;
};

const [yourself, marketplace, records, log, servers] = [
  'Your sign-in:',
  'Organizations, users and add-ons:',
  'Records of the host platform:',
  'Audit:',
  'Operation:',
] as const;

/** In the order of the help. Only the group of the first word is loaded; all are for help, and for an unknown word. */
const groups: readonly Group[] = [
  {
    names: ['login', 'logout', 'whoami'],
    heading: yourself,
    load: async () => (await import('./sign-in/login.ts')).addSignInCommands,
  },
  {
    names: ['organization'],
    heading: marketplace,
    load: async () => (await import('./organizations/organization.ts')).addOrganizationCommands,
  },
  {
    names: ['user'],
    heading: marketplace,
    load: async () => (await import('./people/user.ts')).addUserCommands,
  },
  {
    names: ['addon'],
    heading: marketplace,
    load: async () => (await import('./addons/addon.ts')).addAddonCommands,
  },
  {
    names: ['activation'],
    heading: marketplace,
    load: async () => (await import('./addons/activation.ts')).addActivationCommands,
  },
  {
    names: ['signals'],
    heading: marketplace,
    load: async () => (await import('./signals.ts')).addSignalsCommands,
  },
  { names: ['grant'], heading: marketplace, load: async () => (await import('./grant.ts')).addGrantCommands },
  {
    names: ['import'],
    heading: records,
    load: async () => (await import('./import/import.ts')).addImportCommands,
  },
  {
    names: ['profile'],
    heading: records,
    load: async () => (await import('./people/erase.ts')).addProfileCommands,
  },
  { names: ['audit'], heading: log, load: async () => (await import('./audit/audit.ts')).addAuditCommands },
  {
    names: ['history'],
    heading: log,
    load: async () => (await import('./history/history.ts')).addHistoryCommands,
  },
  { names: ['log'], heading: log, load: async () => (await import('./log/log.ts')).addLogCommands },
  {
    names: ['doctor'],
    heading: servers,
    load: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
  },
  {
    names: ['migrate'],
    heading: servers,
    load: async () => (await import('./migrate.ts')).addMigrateCommand,
  },
  {
    names: ['projections'],
    heading: servers,
    load: async () => (await import('./projections/projections.ts')).addProjectionsCommands,
  },
  {
    names: ['parked'],
    heading: servers,
    load: async () => (await import('./parked/parked.ts')).addParkedCommands,
  },
  { names: ['keys'], heading: servers, load: async () => (await import('./keys/keys.ts')).addKeysCommands },
  {
    names: ['kafka'],
    heading: servers,
    load: async () => (await import('./kafka/kafka.ts')).addKafkaCommands,
  },
  {
    names: ['eventstore'],
    heading: servers,
    load: async () => (await import('./eventstore.ts')).addEventstoreCommand,
  },
];

/** Runs one command line. @returns the exit code: 0 done, 1 refused or servers not reached, 2 usage error */
export const runCli = async (args: readonly string[], io: CliIo): Promise<number> => {
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
    const program = await makeProgram(args, io, run);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { explain } = await import('./base/explain.ts');
      const said = explain(error);
      print(io, asJson, said);
      return said.exitCode;
    }
    if (error.exitCode === 0) return 0;
    const message =
      error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    if (asJson) io.stdout.write(`${JSON.stringify({ error: { code: 'usage', message } })}\n`);
    return 2;
  }
};

/** `--version` counts only by itself, or with --json: elsewhere it is an option of a command (`projections drop NAME --version 1`). */
const isVersionAsked = (args: readonly string[]): boolean => {
  const [first, ...more] = args.filter((arg) => arg !== '--json');
  return (first === '--version' || first === '-V') && more.length === 0;
};

const version: Answer = {
  exitCode: 0,
  json: { version: packageVersion, commit: builtCommit },
  text: `grantbook ${packageVersion}, commit ${builtCommit}`,
};

/** All commands, or the group of the first word. */
export const makeProgram = async (args: readonly string[], io: CliIo, run: Run): Promise<Command> => {
  const program = new Command('grantbook')
    .description('Operate a Grantbook: add-ons, organizations, users, activations and records.')
    .option('--json', 'answer with one JSON document on standard output')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(add --help to see what is allowed)')
    .addHelpText('after', afterHelp);
  const named = groups.filter(({ names }) => names.includes(args.find((arg) => arg !== '--json') ?? ''));
  const shown = named.length > 0 ? named : groups;
  const loaded = await Promise.all(shown.map(async ({ heading, load }) => ({ heading, add: await load() })));
  let reason: string | undefined;
  program.hook('preAction', (_program, command) => {
    reason = reasonOf(command);
  });
  const openService: CliIo['openService'] = (who, how) =>
    io.openService(who, { ...how, ...(reason !== undefined && { reason }) });
  for (const { heading, add } of loaded) add(program.commandsGroup(heading), { ...io, openService }, run);
  return program.commandsGroup('Help:').helpCommand(true);
};

const afterHelp = `
grantbook --version says which version this is, and which commit was built.
Exit codes: 0 done, 1 refused or a server could not be reached, 2 a usage error.
Without EVENTSTORE_URL and DATABASE_URL a command uses the servers of the running service on the same DATA_DIR.`;

const print = ({ stdout, stderr }: CliIo, asJson: boolean, { exitCode, json, text }: Answer) => {
  if (asJson) stdout.write(`${JSON.stringify(json)}\n`);
  else (exitCode === 0 ? stdout : stderr).write(`${text}\n`);
};
