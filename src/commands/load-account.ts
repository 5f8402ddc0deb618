import { type Account, accountDecider, type AccountEvent } from '../domain/account.ts';
import { fold } from '../domain/decision.ts';
import { accountStream } from '../domain/streams.ts';
import { comparePositions, type EventStore, type Position } from '../eventstore/event-store.ts';

/**
 * An account, and where in the log it last ended what its user holds. What came first is asked of the order of the log: it
 * is the same for all instances, and their clocks are not (TR-04).
 */
export type AccountInLog = {
  readonly account: Account;
  /** Where it was last disabled, enabled again or not: tokens from before are dead. */
  readonly disabled: Position | null;
  /** Where its sessions were last ended: by disabling it, or by another password. */
  readonly sessionsEnded: Position | null;
};

export const loadAccount = async (store: EventStore, userId: string): Promise<AccountInLog> => {
  const { events } = await store.read(accountStream(userId));
  const lastOf = (...types: readonly AccountEvent['type'][]) =>
    events.findLast(({ event }) => types.some((type) => type === event.type))?.position ?? null;
  return {
    account: fold(
      accountDecider,
      events.map(({ event }) => event as AccountEvent),
    ),
    disabled: lastOf('AccountDisabled'),
    sessionsEnded: lastOf('AccountDisabled', 'PasswordSet'),
  };
};

/** Whether something is from after an ending, and so not ended by it. */
export const isAfter = (position: Position, ending: Position | null): boolean =>
  ending === null || comparePositions(position, ending) > 0;

/** Whether nothing was ended since an earlier look. */
export const isSameEnding = (earlier: Position | null, now: Position | null): boolean =>
  earlier === null || now === null ? earlier === now : comparePositions(earlier, now) === 0;
