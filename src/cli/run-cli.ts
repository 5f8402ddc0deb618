import { Command, CommanderError } from 'commander';
import { builtCommit } from '../process/built-commit.ts';
import { packageVersion } from '../process/package-root.ts';
import type { Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { reasonOf, type AddCommands, type Run } from './base/define.ts';

type Group = readonly [names: string, heading: string, load: () => Promise<AddCommands>];

const [yourself, marketplace, records, log, servers] = [
  'Your sign-in:',
  'Organizations, users and add-ons:',
  'Records of the host platform:',
  'Audit:',
  'Operation:',
] as const;

/** In the order of the help. Only the group of the first word is loaded; all are for help, and for an unknown word. */
const groups: readonly Group[] = [
  ['login logout whoami', yourself, async () => (await import('./sign-in/login.ts')).addSignInCommands],
  [
    'organization',
    marketplace,
    async () => (await import('./organizations/organization.ts')).addOrganizationCommands,
  ],
  ['user', marketplace, async () => (await import('./people/user.ts')).addUserCommands],
  ['addon', marketplace, async () => (await import('./addons/addon.ts')).addAddonCommands],
  ['activation', marketplace, async () => (await import('./addons/activation.ts')).addActivationCommands],
  ['signals', marketplace, async () => (await import('./signals.ts')).addSignalsCommands],
  ['grant', marketplace, async () => (await import('./grant.ts')).addGrantCommands],
  ['import', records, async () => (await import('./import/import.ts')).addImportCommands],
  ['profile', records, async () => (await import('./people/erase.ts')).addProfileCommands],
  ['audit', log, async () => (await import('./audit/audit.ts')).addAuditCommands],
  ['history', log, async () => (await import('./history/history.ts')).addHistoryCommands],
  ['log', log, async () => (await import('./log/log.ts')).addLogCommands],
  ['doctor', servers, async () => (await import('./doctor/doctor.ts')).addDoctorCommand],
  ['migrate', servers, async () => (await import('./migrate.ts')).addMigrateCommand],
  ['projections', servers, async () => (await import('./projections/projections.ts')).addProjectionsCommands],
  ['parked', servers, async () => (await import('./parked/parked.ts')).addParkedCommands],
  ['keys', servers, async () => (await import('./keys/keys.ts')).addKeysCommands],
  ['kafka', servers, async () => (await import('./kafka/kafka.ts')).addKafkaCommands],
  ['eventstore', servers, async () => (await import('./eventstore.ts')).addEventstoreCommand],
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
  const named = groups.filter(([names]) =>
    names.split(' ').includes(args.find((arg) => arg !== '--json') ?? ''),
  );
  const shown = named.length > 0 ? named : groups;
  const loaded = await Promise.all(shown.map(async ([, heading, load]) => ({ heading, add: await load() })));
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
