import type { Logger } from 'pino';
import type { Commands } from '../commands/commands.ts';
import type { Config } from '../config/config.ts';
import { commandTimeouts } from '../eventstore/client/timeouts.ts';
import { makeCountBreakGlass } from '../projections/working-state/break-glass.ts';
import { composeCore } from './core.ts';
import { startLogWorkers } from './log-workers.ts';
import { composeRebuilds } from './rebuilds.ts';
import type { Opening, Servers } from './stores.ts';

/** The parts of a run of the command line. It answers no requests, and leaves Kafka and all maintenance to the service. */
export const composeCommandLine = async (
  config: Config,
  servers: Servers,
  logger: Logger,
  named: Opening['named'],
) => {
  const core = await composeCore({
    config,
    servers,
    logger,
    telemetry: null,
    named,
    timeouts: commandTimeouts,
  });
  return {
    ...core,
    /** Versions of read models, while a service runs. */
    rebuilds: (commands: Pick<Commands, 'noteSwap'>) => composeRebuilds({ ...core, commands }),
    countBreakGlass: makeCountBreakGlass({ pool: core.pool }),
    /** For a command that runs without a service: nothing else keeps the read models up to date then. */
    startWorkers: () => startLogWorkers(core),
  };
};

export type CommandLine = Awaited<ReturnType<typeof composeCommandLine>>;
