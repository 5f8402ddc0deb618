import { claimEmail, emailDecider, releaseEmail } from '../domain/account.ts';
import type { EventMetadata } from '../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';
import { findClaim, streamsOfEmail } from './find-account.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'persons'>;
type Change = { readonly context: CommandContext | undefined; readonly metadata: EventMetadata };

/** @returns the user whom the address belongs to: this one from now on, or an earlier one */
export const claimEmailFor = async (
  { store, now, persons }: Dependencies,
  email: string,
  userId: string,
  change: Change,
): Promise<string> => {
  const streams = await streamsOfEmail(persons, email);
  const present = await findClaim(store, streams);
  if (present !== null) return present;
  const { state } = await retryUnknownOutcome(() =>
    handle(
      store,
      streams.current,
      emailDecider,
      (claim) => claimEmail(claim, { userId, now: now() }),
      change,
    ),
  );
  return state.userId ?? userId;
};

/** Releases the claim in both streams that may hold it, if it is this user's. */
export const releaseEmailOf = async (
  { store, now, persons }: Dependencies,
  email: string,
  userId: string,
  change: Change,
): Promise<void> => {
  const { current, earlier } = await streamsOfEmail(persons, email);
  for (const stream of new Set([current, earlier]))
    await retryUnknownOutcome(() =>
      handle(store, stream, emailDecider, (claim) => releaseEmail(claim, { userId, now: now() }), change),
    );
};
