import { withholdTokens } from '../../domain/access/grant-refresh.ts';
import {
  grantDecider,
  type Grant,
  type GrantEvent,
  type GrantTerms,
  type LiveGrant,
} from '../../domain/access/grant.ts';
import {
  accountSubject,
  asGrantRefusal,
  fenceSubjectsOf,
  grantSubject,
  type Fence,
  type FenceRefusal,
  type FenceRow,
  type Guarded,
} from '../../domain/fence/fence.ts';
import { grantStream } from '../../domain/streams.ts';
import { StreamUnreadable, type EventStore } from '../../eventstore/event-store.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { makeAttempts, type Attempts, type Handled, type Known } from '../kernel/handle.ts';
import { retryingUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';
import { isAfter, loadAccount } from '../people/accounts/load-account.ts';
import type { GrantDependencies } from './dependencies.ts';
import { loadGrant } from './load-grant.ts';
import type { By } from './open-grant.ts';
import { makeRevokeAfterFenceChange } from './revoke-grant.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

/** What the exchange of a code and a refresh have in common: each is one sequence, which calls these in order. */

/** The rows of a grant, and of its user's account: an organization's tokens do not depend on it (AC-03), but an id_token does. */
export const readFence = (fence: Fence, guarded: Guarded): Promise<readonly FenceRow[]> =>
  fence.read([...new Set([...fenceSubjectsOf(guarded), accountSubject(guarded.userId)])]);

/**
 * Whether the user who approved a code was disabled since, even if enabled again by now (TC-15): an organization's code
 * does not depend on the account's epoch. Reads the log only for accounts that were ever disabled; its order decides
 * which came first.
 */
export const disabledSince = async (
  store: EventStore,
  { grantId, userId, subject }: GrantTerms,
  rows: readonly FenceRow[],
): Promise<boolean> => {
  if (subject.kind === 'user') return false; // a user's own grant depends on the account's epoch
  const account = rows.find((row) => row.subject === accountSubject(userId));
  if (!account || account.epoch === 0) return false;
  const [[issued], { disabled }] = await Promise.all([
    store.readEnd(grantStream(grantId), 'first', 1),
    loadAccount(store, userId),
  ]);
  return issued !== undefined && !isAfter(issued.position, disabled);
};

/** The attempts to append to a grant: on its known state, and then on what its stream holds. */
export const attemptsAt = (
  store: EventStore,
  grantId: string,
  known: Known<Grant>,
  by: By,
): Attempts<Grant, GrantEvent> => {
  const stream = grantStream(grantId);
  const load = () => loadGrant(store, stream, { known });
  return retryingUnknownOutcome(makeAttempts(store, stream, grantDecider, { ...by, assume: known, load }));
};

/** Keeps the state for the next request, and completes what a crash left undone: a grant that has ended is closed in the fence. */
export const rememberGrant = async (
  { fence, cache }: Pick<GrantDependencies, 'fence' | 'cache'>,
  grantId: string,
  handled: Handled<Grant, GrantEvent, string>,
  rows: readonly FenceRow[],
): Promise<void> => {
  cache.remember(grantId, handled);
  const isFenced = rows.some(({ subject, open }) => subject === grantSubject(grantId) && !open);
  if (handled.state.status === 'revoked' && !isFenced)
    await completeFence(fence, grantSubject(grantId), handled);
};

/**
 * The fence closed, or moved to another epoch, between the two reads: what was appended must never be answered. After a
 * suspension or a hold the client may ask for a rotation again, but not for the exchange of a code (docs/explanation/flows.md).
 */
export const makeRefuseAfterFenceChange = (dependencies: GrantDependencies) => {
  const { store, now, cache } = dependencies;
  const revokeAfterFenceChange = makeRevokeAfterFenceChange(dependencies);
  return async (
    { terms: { grantId }, current: { rotation } }: LiveGrant,
    fenceRefusal: FenceRefusal,
    context: CommandContext | undefined,
  ) => {
    await revokeAfterFenceChange(grantId, fenceRefusal, context);
    if (fenceRefusal === 'addon-suspended' || fenceRefusal === 'on-hold') {
      const stream = grantStream(grantId);
      const withheld = await handleRetrying(
        store,
        stream,
        grantDecider,
        (grant) => withholdTokens(grant, { rotation, now: now() }),
        {
          context,
          load: () => loadGrant(store, stream, { known: cache.get(grantId) }),
        },
      );
      cache.remember(grantId, withheld);
    }
    return { ok: false, refusal: asGrantRefusal(fenceRefusal) } as const;
  };
};

/**
 * While a grant's stream holds an event that cannot be decoded, nothing is issued for it, until an operator has skipped
 * the event (ADR 20).
 */
export const refuseUnreadable = (error: unknown) => {
  if (error instanceof StreamUnreadable) return { ok: false, refusal: 'on-hold' } as const;
  throw error;
};
