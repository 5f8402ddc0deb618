import { Command, CommanderError } from 'commander';
import { builtCommit } from '../built-commit.ts';
import { packageVersion } from '../package-root.ts';
import type { Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommands, Run } from './define.ts';

type Group = { readonly names: readonly string[]; readonly load: () => Promise<AddCommands> };

/**
 * In the order of the help. Only the group that has the first word of a command line is loaded; for help, and for a
 * word that none has, all are.
 */
const groups: readonly Group[] = [
  {
    names: ['login', 'logout', 'whoami'],
    load: async () => (await import('./sign-in/login.ts')).addSignInCommands,
  },
  { names: ['addon'], load: async () => (await import('./addon.ts')).addAddonCommands },
  { names: ['organization'], load: async () => (await import('./organization.ts')).addOrganizationCommands },
  { names: ['user'], load: async () => (await import('./user.ts')).addUserCommands },
  { names: ['profile'], load: async () => (await import('./erase.ts')).addProfileCommands },
  { names: ['activation'], load: async () => (await import('./activation.ts')).addActivationCommands },
  { names: ['grant'], load: async () => (await import('./grant.ts')).addGrantCommands },
  { names: ['import'], load: async () => (await import('./import.ts')).addImportCommands },
  { names: ['eventstore'], load: async () => (await import('./eventstore.ts')).addEventstoreCommand },
  { names: ['keys'], load: async () => (await import('./keys.ts')).addKeysCommands },
  { names: ['kafka'], load: async () => (await import('./kafka.ts')).addKafkaCommands },
  { names: ['history'], load: async () => (await import('./history/history.ts')).addHistoryCommands },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAuditCommands },
  { names: ['log'], load: async () => (await import('./log/log.ts')).addLogCommands },
  { names: ['migrate'], load: async () => (await import('./migrate.ts')).addMigrateCommand },
  { names: ['projections'], load: async () => (await import('./projections.ts')).addProjectionsCommands },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor.ts')).addDoctorCommand },
  { names: ['parked'], load: async () => (await import('./parked/parked.ts')).addParkedCommands },
];

/**
 * Runs one command line.
 * @returns the exit code: 0 done, 1 refused or servers not reached, 2 usage error
 */
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
      const { explain } = await import('./explain.ts');
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

/**
 * `--version` counts only by itself, or with --json. Elsewhere it is an option of a command, as in
 * `projections drop NAME --version 1`, which commander would take for the program's own.
 */
const isVersionAsked = (args: readonly string[]): boolean => {
  const [first, ...more] = args.filter((arg) => arg !== '--json');
  return (first === '--version' || first === '-V') && more.length === 0;
};

const version: Answer = {
  exitCode: 0,
  json: { version: packageVersion, commit: builtCommit },
  text: `grantbook ${packageVersion}, commit ${builtCommit}`,
};

const makeProgram = async (args: readonly string[], io: CliIo, run: Run): Promise<Command> => {
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
  const loaded = await Promise.all((named.length > 0 ? named : groups).map(({ load }) => load()));
  for (const addGroup of loaded) addGroup(program, io, run);
  return program;
};

const afterHelp = `
grantbook --version says which version this is, and which commit was built.
Exit codes: 0 done, 1 refused or a server could not be reached, 2 a usage error.
Without EVENTSTORE_URL and DATABASE_URL a command uses the servers of the running service on the same DATA_DIR.`;

const print = ({ stdout, stderr }: CliIo, asJson: boolean, { exitCode, json, text }: Answer) => {
  if (asJson) stdout.write(`${JSON.stringify(json)}\n`);
  else (exitCode === 0 ? stdout : stderr).write(`${text}\n`);
};
