import type { Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { builtCommit } from '../process/built-commit.ts';
import { packageVersion } from '../process/package-root.ts';
import { textFor, type Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { addDetails } from './command-details.ts';
import { reasonOf, type AddCommands, type Run } from './base/define.ts';

type Group = {
  /** What the top-level help says of each, which needs no group loaded. */
  readonly commands: Readonly<Record<string, string>>;
  /** Of several that share a line of the top-level help. */
  readonly inContents?: string;
  readonly heading: string;
  readonly load: () => Promise<AddCommands>;
};

const [yourself, marketplace, records, log, servers] = [
  'Sign-in',
  'Marketplace',
  'Records',
  'Audit',
  'Operation',
] as const;

/** In the order of the help. Only the group of the command is loaded. */
const groups: readonly Group[] = [
  {
    commands: {
      login: 'sign in, so that the audit log says who does what',
      logout: 'sign out',
      whoami: 'show who is signed in',
    },
    inContents: 'sign in, so that the audit log names you',
    heading: yourself,
    load: async () => (await import('./sign-in/login.ts')).addSignInCommands,
  },
  {
    commands: { organization: 'create, find, change and close; who administers them' },
    heading: marketplace,
    load: async () => (await import('./organizations/organization.ts')).addOrganizationCommands,
  },
  {
    commands: { user: 'accounts, their roles and sessions' },
    heading: marketplace,
    load: async () => (await import('./people/user.ts')).addUserCommands,
  },
  {
    commands: {
      addon: 'register, show, change, suspend and retire add-ons',
      publisher: 'create, list, show and rename publishers of add-ons',
    },
    inContents: 'register, change, retire; who offers them',
    heading: marketplace,
    load: async () => (await import('./addons/addon.ts')).addAddonCommands,
  },
  {
    commands: { activation: "switch an organization's add-ons on and off" },
    heading: marketplace,
    load: async () => (await import('./addons/activation.ts')).addActivationCommands,
  },
  {
    commands: { signals: 'list, create and show signal streams' },
    heading: marketplace,
    load: async () => (await import('./signals.ts')).addSignalsCommands,
  },
  {
    commands: { grant: 'list, show and revoke grants of add-ons' },
    heading: marketplace,
    load: async () => (await import('./grant.ts')).addGrantCommands,
  },
  {
    commands: { import: 'import records from NDJSON' },
    heading: records,
    load: async () => (await import('./import/import.ts')).addImportCommands,
  },
  {
    commands: { profile: "erase a person's profile" },
    heading: records,
    load: async () => (await import('./organizations/organization.ts')).addProfileCommands,
  },
  {
    commands: { audit: 'query, export and verify the audit log' },
    heading: log,
    load: async () => (await import('./audit/audit.ts')).addAuditCommands,
  },
  {
    commands: { history: 'archive old months of the timeline' },
    heading: log,
    load: async () => (await import('./history/history.ts')).addHistoryCommands,
  },
  {
    commands: { log: 'copy the whole log to another event store' },
    heading: log,
    load: async () => (await import('./log/log.ts')).addLogCommands,
  },
  {
    commands: { doctor: 'check what the service depends on, with advice' },
    heading: servers,
    load: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
  },
  {
    commands: { migrate: 'migrate the database, create the Kafka topics' },
    heading: servers,
    load: async () => (await import('./migrate.ts')).addMigrateCommand,
  },
  {
    commands: { projections: 'rebuild, verify and swap in read models' },
    heading: servers,
    load: async () => (await import('./projections/projections.ts')).addProjectionsCommands,
  },
  {
    commands: { parked: 'events that could not be decoded or applied' },
    heading: servers,
    load: async () => (await import('./parked/parked.ts')).addParkedCommands,
  },
  {
    commands: { keys: 'rotate signing keys; back up keys of personal data' },
    heading: servers,
    load: async () => (await import('./keys/keys.ts')).addKeysCommands,
  },
  {
    commands: { kafka: 'topics, relay and ingest; dead letters' },
    heading: servers,
    load: async () => (await import('./kafka/kafka.ts')).addKafkaCommands,
  },
  {
    commands: { eventstore: 'run only the embedded event store node' },
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

/** @param args only their group is loaded, the others have no more than a name; null loads all */
export const makeProgram = async (args: readonly string[] | null, io: CliIo, run: Run): Promise<Command> => {
  const program = new Command('grantbook')
    .description('Operate a Grantbook: add-ons, organizations, users, activations and records.')
    .option('--json', 'answer with one JSON document on standard output')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(add --help to see what is allowed)');
  program.helpInformation = () => contents;
  const word = args?.find((arg) => arg !== '--json' && arg !== 'help') ?? '';
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
  const openService: CliIo['openService'] = (who, how) =>
    io.openService(who, { ...how, ...(reason !== undefined && { reason }) });
  for (const { commands, add } of loaded) {
    add(program, { ...io, openService }, run);
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
const contents = `Usage: grantbook COMMAND [options]   (COMMAND --help: details, an example, JSON)

${groups
  .map(({ commands, heading, inContents }, index) => {
    const names = Object.keys(commands).join(', ');
    const shown = groups[index - 1]?.heading === heading ? '' : heading;
    return `${shown.padEnd(12)} ${names.padEnd(12)}  ${inContents ?? Object.values(commands).join('; ')}`;
  })
  .join('\n')}

--json: print one JSON document. --version: print the version and the commit.
Exit codes: 0 done, 1 refused or a server could not be reached, 2 a usage error.
`;

const print = ({ stdout, stderr }: CliIo, asJson: boolean, { exitCode, json, text }: Answer) => {
  if (asJson) stdout.write(`${JSON.stringify(json)}\n`);
  else {
    const output: Writable & { readonly columns?: number } = exitCode === 0 ? stdout : stderr;
    output.write(`${textFor(output.columns ?? Infinity, text)}\n`);
  }
};
