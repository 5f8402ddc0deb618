import { type Account, accountDecider, type AccountEvent } from '../domain/account.ts';
import { fold } from '../domain/decision.ts';
import { accountStream } from '../domain/streams.ts';
import { comparePositions, type EventStore, type Position } from '../eventstore/event-store.ts';

/**
 * An account, and the positions in the log where it was last disabled and where its sessions were last ended. The order
 * of the log decides what came first: it is the same for all instances, and their clocks are not (TR-04).
 */
export type AccountInLog = {
  readonly account: Account;
  /** Where it was last disabled, even if enabled again since: tokens from before are refused. */
  readonly disabled: Position | null;
  /** Where its administrator tokens were last ended: by disabling it, or by another password. */
  readonly tokensEnded: Position | null;
  /** Where sessions of it were last ended: by disabling it, by another password, by unlinking an identity, or on request. */
  readonly sessionsEnded: Position | null;
  /** Whether a session that began there was ended by the account, together with all others or with all but one. */
  readonly hasEnded: (session: { readonly sessionId: string; readonly began: Position }) => boolean;
};

export const loadAccount = async (store: Pick<EventStore, 'read'>, userId: string): Promise<AccountInLog> => {
  const { events } = await store.read(accountStream(userId));
  const endings = events.flatMap(({ event, position }) =>
    endsSessions(event as AccountEvent) ? [{ position, except: exceptIn(event as AccountEvent) }] : [],
  );
  const lastOf = (...types: readonly AccountEvent['type'][]) =>
    events.findLast(({ event }) => types.some((type) => type === event.type))?.position ?? null;
  return {
    account: fold(
      accountDecider,
      events.map(({ event }) => event as AccountEvent),
    ),
    disabled: lastOf('AccountDisabled'),
    tokensEnded: events.findLast(({ event }) => endsTokens(event as AccountEvent))?.position ?? null,
    sessionsEnded: endings.at(-1)?.position ?? null,
    hasEnded: ({ sessionId, began }) =>
      endings.some(({ position, except }) => except !== sessionId && !isAfter(began, position)),
  };
};

const endsSessions = ({ type }: AccountEvent): boolean =>
  type === 'AccountDisabled' ||
  type === 'PasswordSet' ||
  type === 'SessionsEnded' ||
  type === 'IdentityUnlinked';

const exceptIn = (event: AccountEvent): string | null => {
  if (event.type === 'SessionsEnded') return event.data.exceptSession;
  return event.type === 'PasswordSet' ? (event.data.ended?.exceptSession ?? null) : null;
};

const endsTokens = (event: AccountEvent): boolean =>
  event.type === 'AccountDisabled' || (event.type === 'PasswordSet' && event.data.ended !== null);

/** Whether something came after an ending, and so was not ended by it. */
export const isAfter = (position: Position, ending: Position | null): boolean =>
  ending === null || comparePositions(position, ending) > 0;

/** Whether nothing was ended since an earlier read. */
export const isSameEnding = (earlier: Position | null, now: Position | null): boolean =>
  earlier === null || now === null ? earlier === now : comparePositions(earlier, now) === 0;
