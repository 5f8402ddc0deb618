import { personalFieldsOf } from '../../domain/events.ts';
import type { LogSubscriptions } from '../../eventstore/event-store.ts';
import { drop, type Dropped } from './drop.ts';
import { rebuild, type Rebuilt, type RebuildOptions } from './rebuild.ts';
import { RebuildRefused } from './refusal.ts';
import type { RebuildDependencies } from './session.ts';
import { status, type ProjectionStatus } from './status.ts';
import { swap, type Swapped, type SwapOptions } from './swap.ts';
import { announceSwaps } from './versions.ts';
import { verify, type Verified, type VerifyOptions } from './verify.ts';

/** Versions of read models, while a service runs. @throws RebuildRefused */
export type Rebuilds = {
  readonly status: () => Promise<readonly ProjectionStatus[]>;
  readonly rebuild: (options: RebuildOptions, signal: AbortSignal) => Promise<Rebuilt>;
  readonly verify: (options: VerifyOptions, signal: AbortSignal) => Promise<Verified>;
  readonly swap: (options: SwapOptions, signal: AbortSignal) => Promise<Swapped>;
  readonly drop: (dropped: Dropped, signal: AbortSignal) => Promise<Dropped>;
};

type Dependencies = Omit<RebuildDependencies, 'signal' | 'now'> & { readonly keys: PersonKeys };

type PersonKeys = {
  /** Why the stored keys cannot be used; null when they can. */
  readonly problem: () => Promise<string | null>;
  readonly hasLost: () => boolean;
  readonly countLost: () => Promise<number>;
};

export const makeRebuilds = ({ keys, ...given }: Dependencies): Rebuilds => {
  const { databaseUrl, noteSwap } = given;
  const log = stoppingAtLostKeys(given.log, keys);
  const dependencies = (signal: AbortSignal): RebuildDependencies => ({
    ...given,
    log,
    now: () => Date.now(),
    signal,
  });
  /** If a swap was not recorded because its command crashed, the next command records it. */
  const first = async <T>(signal: AbortSignal, work: (all: RebuildDependencies) => Promise<T>) => {
    await announceSwaps({ databaseUrl, noteSwap });
    return work(dependencies(signal));
  };
  /** The log is read: with other keys than the service's, encrypted fields could not be decrypted. */
  const reading: typeof first = async (signal, work) => {
    const problem = await keys.problem();
    if (problem !== null) throw new RebuildRefused('personal-keys', `nothing was begun: ${problem}`);
    if ((await keys.countLost()) > 0) throw keyLostRefusal();
    return first(signal, work);
  };
  return {
    status: async () => {
      await announceSwaps({ databaseUrl, noteSwap });
      return status(databaseUrl);
    },
    rebuild: (options, signal) => reading(signal, (all) => rebuild(all, options)),
    verify: (options, signal) => reading(signal, (all) => verify(all, options)),
    swap: (options, signal) => reading(signal, (all) => swap(all, options)),
    drop: (options, signal) => first(signal, (all) => drop(all, options)),
  };
};

const keyLostRefusal = () =>
  new RebuildRefused(
    'key-lost',
    'key lost: the key of a person is missing but was not deleted. Restore the keys first: grantbook keys restore FILE',
  );

/** What is built while a key is missing would keep `key lost` in its rows. */
const stoppingAtLostKeys = <L extends LogSubscriptions>(log: L, keys: Pick<PersonKeys, 'hasLost'>): L => ({
  ...log,
  subscribe: (options: Parameters<LogSubscriptions['subscribe']>[0]) => {
    const messages = log.subscribe(options);
    const isPersonal = options.eventTypes.some((type) => personalFieldsOf(type) !== null);
    return isPersonal ? untilLost(messages, keys) : messages;
  },
});

async function* untilLost<T>(messages: AsyncIterable<T>, keys: Pick<PersonKeys, 'hasLost'>) {
  for await (const message of messages) {
    if (keys.hasLost()) throw keyLostRefusal();
    yield message;
  }
}
