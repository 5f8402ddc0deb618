import { claimIdentity, identityDecider, releaseIdentity } from '../domain/identity.ts';
import { identityStream } from '../domain/streams.ts';
import type { EventMetadata } from '../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';
import { handle, load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Change = { readonly context: CommandContext | undefined; readonly metadata: EventMetadata };

/** The user whom an identity opens; null when it is nobody's. `digest` is of `Persons.identityDigest`. */
export const userOfIdentity = async (
  store: CommandDependencies['store'],
  digest: string,
): Promise<string | null> => (await load(store, identityStream(digest), identityDecider)).state.userId;

/** @returns the user whom the identity belongs to: this one from now on, or an earlier one */
export const claimIdentityFor = async (
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  digest: string,
  userId: string,
  change: Change,
): Promise<string> => {
  const { state } = await retryUnknownOutcome(() =>
    handle(
      store,
      identityStream(digest),
      identityDecider,
      (claim) => claimIdentity(claim, { userId, now: now() }),
      change,
    ),
  );
  return state.userId ?? userId;
};

export const releaseIdentityOf = async (
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  digest: string,
  userId: string,
  change: Change,
): Promise<void> =>
  void (await retryUnknownOutcome(() =>
    handle(
      store,
      identityStream(digest),
      identityDecider,
      (claim) => releaseIdentity(claim, { userId, now: now() }),
      change,
    ),
  ));
