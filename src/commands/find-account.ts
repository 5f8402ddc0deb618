import { createHash } from 'node:crypto';
import { type Account, accountDecider, emailDecider } from '../domain/account.ts';
import { normaliseEmail } from '../domain/email.ts';
import { accountStream, emailStream } from '../domain/streams.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import { load } from './handle.ts';

/** The stream that arbitrates who has an address: named by a digest, as stream names are no place for addresses. */
export const streamOfEmail = (email: string) =>
  emailStream(createHash('sha256').update(normaliseEmail(email)).digest('hex'));

/** The account behind an address. An unknown address costs the same two reads as a known one. */
export const findAccount = async (store: EventStore, email: string): Promise<Account> => {
  const { state: claim } = await load(store, streamOfEmail(email), emailDecider);
  const { state } = await load(store, accountStream(claim.userId ?? 'nobody'), accountDecider);
  return state;
};
