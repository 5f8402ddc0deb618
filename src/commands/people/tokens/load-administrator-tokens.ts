import {
  administratorTokenDecider,
  type AdministratorTokenEvent,
} from '../../../domain/people/administrator-token.ts';
import { fold } from '../../../domain/kernel/decision.ts';
import { administratorTokensStream } from '../../../domain/streams.ts';
import type { EventStore } from '../../../eventstore/event-store.ts';
import { isAfter, loadAccount } from '../accounts/load-account.ts';

/** A user's tokens, the account that they depend on, and the ids of those that it has ended. */
export const loadAdministratorTokens = async (store: EventStore, userId: string) => {
  const [{ account, tokensEnded }, { events }] = await Promise.all([
    loadAccount(store, userId),
    store.read(administratorTokensStream(userId)),
  ]);
  const tokens = fold(
    administratorTokenDecider,
    events.map(({ event }) => event as AdministratorTokenEvent),
  );
  const ended = new Set(
    events.flatMap(({ event, position }) =>
      event.type === 'AdministratorTokenIssued' && !isAfter(position, tokensEnded)
        ? [event.data.tokenId]
        : [],
    ),
  );
  const wasIssued = (tokenId: string): boolean =>
    events.some(({ event }) => event.type === 'AdministratorTokenIssued' && event.data.tokenId === tokenId);
  return { account, tokens, tokensEnded, ended, wasIssued };
};
