import type { Logger } from 'pino';
import type { Commands } from '../commands/commands.ts';
import { readSkippedEvents } from '../commands/skip-parked-event.ts';
import type { Personal } from './personal.ts';
import { personalFieldsOf } from '../domain/personal-data.ts';
import { type EventStore, type LogReader, type LogSubscriptions } from '../eventstore/event-store.ts';
import { MasterKeyMissing } from '../personal/wrapped-key.ts';
import { drop, type Dropped } from '../projections/rebuild/drop.ts';
import { rebuild, type Rebuilt, type RebuildOptions } from '../projections/rebuild/rebuild.ts';
import { RebuildRefused } from '../projections/rebuild/refusal.ts';
import { status, type ProjectionStatus } from '../projections/rebuild/status.ts';
import { swap, type Swapped, type SwapOptions } from '../projections/rebuild/swap.ts';
import { tellSwaps } from '../projections/rebuild/tell-swaps.ts';
import { verify, type Verified, type VerifyOptions } from '../projections/rebuild/verify.ts';

/** Versions of read models, beside a running service. @throws RebuildRefused */
export type Rebuilds = {
  readonly status: () => Promise<readonly ProjectionStatus[]>;
  readonly rebuild: (options: RebuildOptions, signal: AbortSignal) => Promise<Rebuilt>;
  readonly verify: (options: VerifyOptions, signal: AbortSignal) => Promise<Verified>;
  readonly swap: (options: SwapOptions, signal: AbortSignal) => Promise<Swapped>;
  readonly drop: (dropped: Dropped, signal: AbortSignal) => Promise<Dropped>;
};

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

export const composeRebuilds = ({
  databaseUrl,
  store,
  commands,
  personal,
  logger,
}: Dependencies): Rebuilds => {
  const noteSwap: Commands['noteSwap'] = (swapped) => commands.noteSwap(swapped);
  const dependencies = (signal: AbortSignal) => ({
    databaseUrl,
    log: stoppingAtLostKeys(store, personal.keys),
    noteSwap,
    skipped: readSkippedEvents(store),
    logger,
    now: () => Date.now(),
    signal,
  });
  /** A swap whose teller died is told by whoever comes next. */
  const first = async <T>(
    signal: AbortSignal,
    work: (all: ReturnType<typeof dependencies>) => Promise<T>,
  ) => {
    await tellSwaps({ databaseUrl, noteSwap });
    return work(dependencies(signal));
  };
  /** The log is read: with other keys than the service's nothing encrypted could be. */
  const reading: typeof first = async (signal, work) => {
    await personal.keeping.check().catch(refuseOtherKeys);
    if ((await personal.keys.countLost()) > 0) throw keyLostRefusal();
    return first(signal, work);
  };
  return {
    status: async () => {
      await tellSwaps({ databaseUrl, noteSwap });
      return status(databaseUrl);
    },
    rebuild: (options, signal) => reading(signal, (all) => rebuild(all, options)),
    verify: (options, signal) => reading(signal, (all) => verify(all, options)),
    swap: (options, signal) => reading(signal, (all) => swap(all, options)),
    drop: (options, signal) => first(signal, (all) => drop(all, options)),
  };
};

const refuseOtherKeys = (error: unknown): never => {
  if (!(error instanceof MasterKeyMissing)) throw error;
  throw new RebuildRefused('personal-keys', `nothing was begun: ${error.message}`);
};

const keyLostRefusal = () =>
  new RebuildRefused(
    'key-lost',
    'key lost: the key of a person is neither there nor destroyed. Restore the keys first: grantbook keys restore FILE',
  );

/** What is built while a key is missing would say `key lost` for as long as it is kept. */
const stoppingAtLostKeys = <L extends LogSubscriptions>(
  log: L,
  keys: Pick<Personal['keys'], 'hasLost'>,
): L => ({
  ...log,
  subscribe: (options: Parameters<LogSubscriptions['subscribe']>[0]) => {
    const messages = log.subscribe(options);
    const isPersonal = options.eventTypes.some((type) => personalFieldsOf(type) !== null);
    return isPersonal ? untilLost(messages, keys) : messages;
  },
});

async function* untilLost<T>(messages: AsyncIterable<T>, keys: Pick<Personal['keys'], 'hasLost'>) {
  for await (const message of messages) {
    if (keys.hasLost()) throw keyLostRefusal();
    yield message;
  }
}
