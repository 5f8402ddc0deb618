import { Command, CommanderError } from 'commander';
import { builtCommit } from '../built-commit.ts';
import { packageVersion } from '../package-root.ts';
import { addActivationCommands } from './activation.ts';
import { addAddonCommands } from './addon.ts';
import type { Answer } from './answer.ts';
import { addAuditCommands } from './audit.ts';
import type { CliIo } from './cli-io.ts';
import type { Run } from './define.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addEventstoreCommand } from './eventstore.ts';
import { addProfileCommands } from './erase.ts';
import { explain } from './explain.ts';
import { addGrantCommands } from './grant.ts';
import { addHistoryCommands } from './history/history.ts';
import { addImportCommands } from './import.ts';
import { addKafkaCommands } from './kafka.ts';
import { addKeysCommands } from './keys.ts';
import { addLogCommands } from './log/log.ts';
import { addMigrateCommand } from './migrate.ts';
import { addProjectionsCommands } from './projections.ts';
import { addOrganizationCommands } from './organization.ts';
import { addParkedCommands } from './parked/parked.ts';
import { addSignInCommands } from './sign-in/login.ts';
import { addUserCommands } from './user.ts';

const groups = [
  addSignInCommands,
  addAddonCommands,
  addOrganizationCommands,
  addUserCommands,
  addProfileCommands,
  addActivationCommands,
  addGrantCommands,
  addImportCommands,
  addEventstoreCommand,
  addKeysCommands,
  addKafkaCommands,
  addHistoryCommands,
  addAuditCommands,
  addLogCommands,
  addMigrateCommand,
  addProjectionsCommands,
  addDoctorCommand,
  addParkedCommands,
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
    await makeProgram(io, run).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
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

const makeProgram = (io: CliIo, run: Run): Command => {
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
  for (const addGroup of groups) addGroup(program, io, run);
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
