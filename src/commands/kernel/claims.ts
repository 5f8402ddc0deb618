import type { Decider, Decision, Instant } from '../../domain/kernel/decision.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { Change, ClaimStreams } from './claim-streams.ts';
import type { CommandDependencies } from './dependencies.ts';
import { load } from './handle.ts';
import { handleRetrying } from './handle-retrying.ts';

/** The values that an owner's own stream records: those that it has now, and others that it had. */
export type Recorded = { readonly present: readonly string[]; readonly earlier: readonly string[] };

/** One kind of claims of an owner, such as the addresses of accounts. */
export type ClaimsOf<S, E> = ClaimStreams & {
  readonly recordedIn: (state: S) => Recorded;
  /** The owner's stream records a value that turned out to be another's. */
  readonly disown: (state: S, value: string, now: Instant) => Decision<E>;
};

type Owners<S, E, K extends string> = {
  readonly streamOf: (owner: string) => StreamName;
  readonly decider: Decider<S, E>;
  readonly exists: (state: S) => boolean;
  readonly kinds: { readonly [kind in K]: ClaimsOf<S, E> };
};

type Values<K extends string> = { readonly [kind in K]?: readonly string[] };

type Take<K> = (kind: K, value: string, owner: string, change: Change) => Promise<string>;
type Settle<S, K extends string> = (owner: string, change: Change, taken?: Values<K>) => Promise<S>;

export type Claims<S, K extends string> = { readonly [kind in K]: Pick<ClaimStreams, 'ownerOf'> } & {
  /**
   * Claims a value for an owner who is about to record it: until then it holds nothing, and `settle` decides.
   * @returns whose the value is: this owner's, or another's, who records it
   */
  readonly take: Take<K>;
  /** The same for an owner who is about to be made; one that another process is making comes before. */
  readonly takeForNew: Take<K>;
  /**
   * Makes the claims what the owner's stream records, again until that has not changed meanwhile: others are disowned or released.
   * @param taken claimed values that may not be recorded @returns the state in which nothing was left to do
   */
  readonly settle: Settle<S, K>;
  /** Runs what is to record `taken` values, and settles after it, whatever became of it: nothing stays claimed that is not recorded. */
  readonly recording: <T>(
    owner: string,
    change: Change,
    taken: Values<K>,
    record: () => Promise<T>,
  ) => Promise<{ readonly recorded: T; readonly settled: S }>;
};

/**
 * Claims on values that one owner at a time has: `take` the new one → append to the owner's stream → `settle`. A release is followed by a
 * read of the owner's stream, a record by a read of its claim: one of two sees the other. A later `settle` or `take` completes what was killed.
 */
export const makeClaims = <S, E extends DomainEvent, K extends string>(
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  { streamOf, decider, exists, kinds }: Owners<S, E, K>,
): Claims<S, K> => {
  const names = Object.keys(kinds) as K[];
  const stateOf = async (owner: string): Promise<S> => (await load(store, streamOf(owner), decider)).state;
  const has = (state: S, kind: K, value: string) => kinds[kind].recordedIn(state).present.includes(value);

  const takeWhere = async (
    kind: K,
    value: string,
    { owner, change, isHeld }: { owner: string; change: Change; isHeld: (holder: S) => boolean },
  ): Promise<string> => {
    for (;;) {
      const holder = (await kinds[kind].ownerOf(value)) ?? (await kinds[kind].claim(value, owner, change));
      if (holder === owner) return owner;
      if (holder === null) continue;
      const state = await stateOf(holder);
      if (has(state, kind, value) || isHeld(state)) return holder;
      await kinds[kind].release(value, holder, change);
      await settle(holder, change);
    }
  };
  const take: Take<K> = (kind, value, owner, change) =>
    takeWhere(kind, value, { owner, change, isHeld: () => false });

  const disown = (kind: K, value: string, owner: string, change: Change) =>
    handleRetrying(
      store,
      streamOf(owner),
      decider,
      (state) => kinds[kind].disown(state, value, now()),
      change,
    );

  const settle: Settle<S, K> = async (owner, change, taken = {}) => {
    let state = await stateOf(owner);
    for (;;) {
      for (const kind of names) {
        const { present, earlier } = kinds[kind].recordedIn(state);
        for (const value of present)
          if ((await take(kind, value, owner, change)) !== owner) await disown(kind, value, owner, change);
        for (const value of new Set([...earlier, ...(taken[kind] ?? [])]))
          if (!present.includes(value)) await kinds[kind].release(value, owner, change);
      }
      const again = await stateOf(owner);
      if (names.every((kind) => isSame(kinds[kind].recordedIn(state), kinds[kind].recordedIn(again))))
        return again;
      state = again;
    }
  };

  return {
    ...kinds,
    take,
    takeForNew: (kind, value, owner, change) =>
      takeWhere(kind, value, { owner, change, isHeld: (holder) => !exists(holder) }),
    settle,
    recording: async (owner, change, taken, record) => {
      let recorded;
      try {
        recorded = await record();
      } catch (error) {
        await settle(owner, change, taken).catch(() => undefined);
        throw error;
      }
      return { recorded, settled: await settle(owner, change, taken) };
    },
  };
};

const isSame = (one: Recorded, other: Recorded): boolean =>
  one.present.join('\n') === other.present.join('\n');
