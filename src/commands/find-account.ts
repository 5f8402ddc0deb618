import { createHash } from 'node:crypto';
import { emailDecider } from '../domain/account.ts';
import { normaliseEmail } from '../domain/email.ts';
import { emailStream } from '../domain/streams.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import { load } from './handle.ts';
import { type AccountInLog, loadAccount } from './load-account.ts';
import type { Persons } from './persons.ts';

type EmailStream = ReturnType<typeof emailStream>;

/**
 * The streams with the claim on an address, named by a digest: stream names must not contain addresses. `current` takes
 * new claims. `earlier` may hold one from before the digest had a key, when anybody could try addresses on it.
 */
export const streamsOfEmail = async (
  persons: Persons,
  email: string,
): Promise<{ readonly current: EmailStream; readonly earlier: EmailStream }> => {
  const address = normaliseEmail(email);
  const earlier = emailStream(createHash('sha256').update(address).digest('hex'));
  return { current: emailStream(await persons.emailDigest(address)), earlier };
};

/**
 * The user id that an address belongs to; null when it is free. A free address costs the same reads as one that is
 * taken.
 */
export const findClaim = async (
  store: EventStore,
  streams: Awaited<ReturnType<typeof streamsOfEmail>>,
): Promise<string | null> => {
  const [current, earlier] = await Promise.all([
    load(store, streams.current, emailDecider),
    load(store, streams.earlier, emailDecider),
  ]);
  return current.state.userId ?? earlier.state.userId;
};

type Dependencies = { readonly store: EventStore; readonly persons: Persons };

/** The account behind an address. An unknown address costs the same reads as a known one. */
export const findAccount = async ({ store, persons }: Dependencies, email: string): Promise<AccountInLog> => {
  const userId = await findClaim(store, await streamsOfEmail(persons, email));
  return loadAccount(store, userId ?? 'nobody');
};
