import type { Command } from 'commander';
import type { RunIo } from './base/cli-io.ts';
import type { Run } from './base/define.ts';
import { printing } from './base/printable.ts';
import { NotAllowed } from '../common/not-allowed.ts';
import { withLoaders } from './contents.ts';
import { defineProgram, runProgram } from './program.ts';
import { taskGroups } from './task-groups.ts';

const groups = withLoaders({
  ...taskGroups,
  login: async () => (await import('./sign-in/login.ts')).addSignInCommands,
  history: async () => (await import('./history/history.ts')).addHistoryCommands,
  log: async () => (await import('./log/log.ts')).addLogCommands,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommand,
  projections: async () => (await import('./projections/projections.ts')).addProjectionsCommands,
  parked: async () => (await import('./parked/parked.ts')).addParkedCommands,
  keys: async () => (await import('./keys/keys.ts')).addKeysCommands,
  kafka: async () => (await import('./kafka/kafka.ts')).addKafkaCommands,
  eventstore: async () => (await import('./eventstore.ts')).addEventstoreCommand,
});

/** What a run on the servers is given: the API is that of the service that it opens. */
export type ServersIo = Omit<RunIo, 'openApi'>;

const onServers = (io: ServersIo): RunIo => ({
  ...io,
  openApi: async (who, how) => {
    if (who === 'member') throw needsService();
    const loading = import('./base/api-here.ts'); // while servers are waited for
    const service = await io.openService(who, how);
    return (await loading).apiHere(service, io.signal);
  },
});

const needsService = (): NotAllowed =>
  new NotAllowed(
    'needs-service',
    'members of a publisher use the API of a service, with a token of theirs: name it by --server or GRANTBOOK_SERVER',
  );

/** Runs one command line on the servers of the settings. @returns the exit code: 0 done, 1 refused or servers not reached, 2 usage error */
export const runCli = (args: readonly string[], io: ServersIo): Promise<number> =>
  runProgram(args, onServers(printing(io)), {
    groups,
    explain: async (error) => (await import('./base/explain.ts')).explain(error, io.env),
  });

/** @param args only their group is loaded, the others have no more than a name; null loads all */
export const makeProgram = (args: readonly string[] | null, io: ServersIo, run: Run): Promise<Command> =>
  defineProgram(args, onServers(io), run, groups);
