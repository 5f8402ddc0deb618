import type { Logger } from 'pino';
import type { Commands } from '../commands/commands.ts';
import type { Config } from '../config/config.ts';
import type { Timeouts } from '../eventstore/client/timeouts.ts';
import { makeCountBreakGlass } from '../projections/working-state/break-glass.ts';
import { composeCore } from './core.ts';
import { startLogWorkers } from './log-workers.ts';
import type { Opening, Servers } from './stores.ts';
import { readSkippedEvents } from '../commands/log/skip-parked-event.ts';
import type { EventStore, LogReader, LogSubscriptions } from '../eventstore/event-store.ts';
import { keyProblem } from '../personal/key-keeping.ts';
import { makeRebuilds, type Rebuilds } from '../projections/rebuild/rebuilds.ts';
import type { Personal } from './personal.ts';

/** The parts of a run of the command line. It answers no requests, and leaves Kafka and all maintenance to the service. */
export const composeCommandLine = async (
  config: Config,
  servers: Servers,
  logger: Logger,
  named: Opening['named'],
  timeouts: Partial<Timeouts>,
) => {
  const core = await composeCore({ config, servers, logger, telemetry: null, named, timeouts });
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

type Dependencies = {
  readonly databaseUrl: string;
  readonly store: EventStore & LogSubscriptions & LogReader;
  readonly commands: Pick<Commands, 'noteSwap'>;
  readonly personal: {
    readonly keeping: Pick<Personal['keeping'], 'check'>;
    readonly keys: Pick<Personal['keys'], 'hasLost' | 'countLost'>;
  };
  readonly logger: Logger;
};

export const composeRebuilds = ({ databaseUrl, store, commands, personal, logger }: Dependencies): Rebuilds =>
  makeRebuilds({
    databaseUrl,
    log: store,
    noteSwap: (swapped) => commands.noteSwap(swapped),
    skipped: readSkippedEvents(store),
    logger,
    keys: {
      problem: () => keyProblem(personal.keeping),
      hasLost: () => personal.keys.hasLost(),
      countLost: () => personal.keys.countLost(),
    },
  });
