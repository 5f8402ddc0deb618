import {
  administratorTokenDecider,
  type AdministratorTokenEvent,
} from '../../../domain/people/administrator-token.ts';
import { fold } from '../../../domain/kernel/decision.ts';
import { administratorTokensStream } from '../../../domain/streams.ts';
import type { EventStore } from '../../../eventstore/event-store.ts';
import type { Acting } from '../../kernel/context.ts';
import { isAfter, loadAccount } from '../accounts/load-account.ts';

type Reading = Pick<EventStore, 'read'>;
type Issued = Extract<AdministratorTokenEvent, { readonly type: 'AdministratorTokenIssued' }>['data'];

/** A user's tokens, the account that they depend on, and the ids of those that it, or the token with which they were made, has ended. */
export const loadAdministratorTokens = async (store: EventStore, userId: string) => {
  const read = readOnce(store);
  const { account, tokens, tokensEnded, ended, issued } = await read(userId);
  const isOver = async ({ actor, tokenId }: Acting): Promise<boolean> => {
    if (tokenId === null) return false;
    const maker = await read(actor);
    const token = maker.tokens.tokens.find((known) => known.tokenId === tokenId);
    if (!token || maker.ended.has(tokenId)) return true;
    return isOver(token.madeBy);
  };
  const withMaker = new Set(ended);
  for (const { tokenId, madeBy } of tokens.tokens) if (await isOver(madeBy)) withMaker.add(tokenId);
  const wasIssued = (tokenId: string): boolean => issued.some((token) => token.tokenId === tokenId);
  return { account, tokens, tokensEnded, ended: withMaker, wasIssued };
};

/** Each user's streams at most once. */
const readOnce = (store: Reading) => {
  const known = new Map<string, ReturnType<typeof readTokens>>();
  return (userId: string) => {
    const reading = known.get(userId) ?? readTokens(store, userId);
    known.set(userId, reading);
    return reading;
  };
};

const readTokens = async (store: Reading, userId: string) => {
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
  return { account, tokens, tokensEnded, ended, issued: events.flatMap(({ event }) => issuedIn(event)) };
};

const issuedIn = (event: { readonly type: string; readonly data: unknown }): readonly Issued[] =>
  event.type === 'AdministratorTokenIssued' ? [event.data as Issued] : [];

/** What issued a token, whether it has ended or not. */
export const issuedToken = async (
  store: Reading,
  { actor, tokenId }: Acting,
): Promise<Issued | undefined> => {
  const { events } = await store.read(administratorTokensStream(actor));
  return events.flatMap(({ event }) => issuedIn(event)).find((token) => token.tokenId === tokenId);
};

/** Who is behind what is done with a token: its user, who made it, and who made the token with which it was made. */
export const actorsBehind = async (store: Reading, acting: Acting): Promise<ReadonlySet<string>> => {
  const actors = new Set<string>();
  for (let by: Acting | null = acting; by !== null;) {
    actors.add(by.actor);
    by = by.tokenId === null ? null : ((await issuedToken(store, by))?.madeBy ?? null);
  }
  return actors;
};
