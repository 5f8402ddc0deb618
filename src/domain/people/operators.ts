import { type Account, accountDecider, type AccountEvent } from './account.ts';
import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import type { operatorsEvents } from './events.ts';

export type OperatorsEvent = EventsIn<typeof operatorsEvents>;

/** For each user, the newest revision of the account at which their removal was allowed. */
export type AllowedRemovals = { readonly [userId: string]: number };

export const operatorsDecider: Decider<AllowedRemovals, OperatorsEvent> = {
  initial: {},
  evolve: (allowed, { data: { userId, accountRevision } }) => ({
    ...allowed,
    [userId]: Math.max(accountRevision, allowed[userId] ?? -1),
  }),
};

/** An operator who may sign in, as the account says at a revision. */
export type OperatorSeen = { readonly userId: string; readonly accountRevision: number };

/** Allows a removal if another of the operators seen remains. Their accounts must be read before the stream of these decisions. */
export const allowRemoval = (
  allowed: AllowedRemovals,
  {
    userId,
    accountRevision,
    others,
    now,
  }: OperatorSeen & { readonly others: readonly OperatorSeen[]; readonly now: Instant },
): Decision<OperatorsEvent, 'last-operator'> => {
  const remains = others.find(
    (other) => other.userId !== userId && other.accountRevision > (allowed[other.userId] ?? -1),
  );
  if (!remains) return refuse('last-operator');
  const data = { userId, accountRevision, remaining: remains.userId, at: now };
  return accept({ type: 'OperatorRemovalAllowed', data });
};

export const isOperator = (account: Account): boolean =>
  account.status === 'enabled' && account.roles.includes('operator');

/** Whether the user is an operator before these events, and not after them. */
export const endsOperator = (account: Account, events: readonly AccountEvent[]): boolean =>
  isOperator(account) && !isOperator(events.reduce(accountDecider.evolve, account));
