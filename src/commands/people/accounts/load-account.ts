import { type Account, accountDecider, type AccountEvent } from '../../../domain/people/account.ts';
import { fold } from '../../../domain/kernel/decision.ts';
import type { PasskeySignIn } from '../../../domain/sign-in/session.ts';
import { accountStream } from '../../../domain/streams.ts';
import { comparePositions, type EventStore, type Position } from '../../../eventstore/event-store.ts';

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
  /** Where all sessions of it were last ended: by disabling it, by another password, by unlinking an identity, or on request. */
  readonly sessionsEnded: Position | null;
  /** Whether the account ended a session that began there: with all others, or with the passkey that it began with. */
  readonly hasEnded: (session: {
    readonly sessionId: string;
    readonly began: Position;
    readonly passkey: PasskeySignIn | null;
  }) => boolean;
};

export const loadAccount = async (store: Pick<EventStore, 'read'>, userId: string): Promise<AccountInLog> => {
  const { events } = await store.read(accountStream(userId));
  const endings = events.flatMap(({ event, position }) =>
    endsSessions(event as AccountEvent) ? [{ position, ...endedBy(event as AccountEvent) }] : [],
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
    sessionsEnded: endings.findLast(({ passkeyId }) => passkeyId === null)?.position ?? null,
    hasEnded: ({ sessionId, began, passkey }) =>
      endings.some(
        ({ position, except, passkeyId }) =>
          except !== sessionId &&
          (passkeyId === null || passkeyId === passkey?.passkeyId) &&
          !isAfter(began, position),
      ),
  };
};

const endsSessions = ({ type }: AccountEvent): boolean =>
  type === 'AccountDisabled' ||
  type === 'PasswordSet' ||
  type === 'SessionsEnded' ||
  type === 'IdentityUnlinked' ||
  type === 'PasskeyRemoved';

/** The session that an ending leaves, and the passkey whose sessions alone it ends; null: none, and all sessions. */
const endedBy = (
  event: AccountEvent,
): { readonly except: string | null; readonly passkeyId: string | null } => {
  if (event.type === 'PasskeyRemoved')
    return { except: event.data.exceptSession, passkeyId: event.data.passkeyId };
  if (event.type === 'SessionsEnded') return { except: event.data.exceptSession, passkeyId: null };
  const except = event.type === 'PasswordSet' ? (event.data.ended?.exceptSession ?? null) : null;
  return { except, passkeyId: null };
};

const endsTokens = (event: AccountEvent): boolean =>
  event.type === 'AccountDisabled' || (event.type === 'PasswordSet' && event.data.ended !== null);

/** Whether something came after an ending, and so was not ended by it. */
export const isAfter = (position: Position, ending: Position | null): boolean =>
  ending === null || comparePositions(position, ending) > 0;

/** Whether nothing was ended since an earlier read. */
export const isSameEnding = (earlier: Position | null, now: Position | null): boolean =>
  earlier === null || now === null ? earlier === now : comparePositions(earlier, now) === 0;
