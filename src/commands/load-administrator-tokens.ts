import { accountDecider } from '../domain/account.ts';
import { administratorTokenDecider } from '../domain/administrator-token.ts';
import { accountStream, administratorTokensStream } from '../domain/streams.ts';
import type { EventStore } from '../eventstore/event-store.ts';
import { load } from './handle.ts';

/** A user's tokens, and the account that they hang on. */
export const loadAdministratorTokens = async (store: EventStore, userId: string) => {
  const [{ state: account }, { state: tokens }] = await Promise.all([
    load(store, accountStream(userId), accountDecider),
    load(store, administratorTokensStream(userId), administratorTokenDecider),
  ]);
  return { account, tokens };
};
