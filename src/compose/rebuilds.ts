import type { Logger } from 'pino';
import type { Commands } from '../commands/commands.ts';
import { readSkippedEvents } from '../commands/log/skip-parked-event.ts';
import type { EventStore, LogReader, LogSubscriptions } from '../eventstore/event-store.ts';
import { keyProblem } from '../personal/key-keeping.ts';
import { makeRebuilds, type Rebuilds } from '../projections/rebuild/rebuilds.ts';
import type { Personal } from './personal.ts';

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
