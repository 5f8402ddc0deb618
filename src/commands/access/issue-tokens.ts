import { withholdTokens } from '../../domain/access/grant-refresh.ts';
import {
  grantDecider,
  type Grant,
  type GrantEvent,
  type GrantTerms,
  type LiveGrant,
} from '../../domain/access/grant.ts';
import type { Withdrawn } from '../../domain/addons/addon-update.ts';
import {
  accountSubject,
  asGrantRefusal,
  fenceSubjectsOf,
  grantSubject,
  isClosed,
  judgeFence,
  type FenceRefusal,
  type FenceRow,
  type Guarded,
} from '../../domain/fence/fence.ts';
import type { Decision } from '../../domain/kernel/decision.ts';
import { grantStream } from '../../domain/streams.ts';
import { StreamUnreadable, type EventStore } from '../../eventstore/event-store.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { handle } from '../kernel/handle.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';
import { isAfter, loadAccount } from '../people/accounts/load-account.ts';
import type { GrantDependencies } from './grant-cache.ts';
import { loadGrant } from './load-grant.ts';
import { openGrant, type CallerRefusal } from './open-grant.ts';
import { makeRevokeAfterFenceChange } from './revoke-after-fence-change.ts';

export type Issuing<R extends string> = {
  readonly context: CommandContext | undefined;
  readonly grantId: string;
  /** The presenting add-on, for the auditor. */
  readonly addonId: string;
  readonly needsApprover: boolean;
  readonly callerRefusalOf: (terms: GrantTerms) => CallerRefusal<R> | null;
  /** Whether the presented credential shows that the grant was probably refreshed many times. */
  readonly isLikelyLong: boolean;
  /** For a code: what its add-on may no longer use, read from the log now (AM-12). */
  readonly withdrawnFrom?: (terms: GrantTerms) => Promise<Withdrawn | null>;
  readonly decide: (
    grant: Grant,
    fence: FenceRefusal | null,
    withdrawn: Withdrawn | null,
  ) => Decision<GrantEvent, R>;
};

type ClosedRefusal = ReturnType<typeof asGrantRefusal>;

/** The grant whose current pair may be answered. If its user is disabled, no identity may be answered with it. */
export type Issued = { readonly grant: LiveGrant; readonly userIsDisabled: boolean };

/** `grant` is the state that was decided on, for refusals that need an explanation. */
type IssuedOrNot<R extends string> = Outcome<Issued, R | ClosedRefusal> & { readonly grant?: Grant };

/**
 * Every pair of tokens is issued here: read the fence, decide, append, and read the fence again before the answer (P2).
 * With the grant in the cache, that is one append between two reads of the fence and no read of the stream.
 */
export const makeIssueTokens = (dependencies: GrantDependencies) => {
  const { store, fence, cache } = dependencies;
  /** Reads the user's account too: an organization's tokens do not depend on it (AC-03), but an id_token does. */
  const readFence = async (guarded: Guarded | null) =>
    guarded ? fence.read([...new Set([...fenceSubjectsOf(guarded), accountSubject(guarded.userId)])]) : [];
  const disabledMeanwhile = async (
    { needsApprover }: Issuing<string>,
    grant: Grant,
    rows: readonly FenceRow[],
  ) =>
    needsApprover && grant.status === 'code-issued' && (await disabledSince(store, grant.terms, rows))
      ? 'account-disabled'
      : null;
  const refuseAfterFenceChange = makeRefuseAfterFenceChange(dependencies);

  const issue = async <R extends string>(issuing: Issuing<R>): Promise<IssuedOrNot<R>> => {
    const { context, grantId, addonId, decide } = issuing;
    const stream = grantStream(grantId);
    const opened = await retryUnknownOutcome(() => openGrant(dependencies, issuing));
    if ('refusal' in opened) return { ok: false, refusal: opened.refusal };
    const { known } = opened;
    const guarded = guardedOf(known.state, issuing);
    const [rows, withdrawn] = await Promise.all([
      readFence(guarded),
      known.state.status === 'code-issued' ? (issuing.withdrawnFrom?.(known.state.terms) ?? null) : null,
    ]);
    const closed =
      guarded && (judgeFence(guarded, rows) ?? (await disabledMeanwhile(issuing, known.state, rows)));
    // Only the fence, read just now, can change this refusal for a grant that has used up its rotations of this hour:
    // no need to read the stream each time. And a grant that was missing just now must not be decided on if it is there
    // at the next read: its fence was not read.
    const settled = decide(known.state, closed, withdrawn).refusal;
    if (settled !== undefined && (settled === 'rotated-too-often' || !guarded))
      return { ok: false, refusal: settled, grant: known.state };
    const metadata = { actor: `addon:${addonId}` };
    const handled = await retryUnknownOutcome((attempt) =>
      handle(store, stream, grantDecider, (grant) => decide(grant, closed, withdrawn), {
        context,
        metadata,
        ...(attempt === 'first' && { assume: known }),
        load: () => loadGrant(store, stream, { known }),
      }),
    );
    const { state, refusal } = handled;
    cache.remember(grantId, handled);
    const isFenced = rows.some(({ subject, open }) => subject === grantSubject(grantId) && !open);
    if (state.status === 'revoked' && !isFenced) await completeFence(fence, grantSubject(grantId), handled);
    if (refusal !== undefined) return { ok: false, refusal, grant: state };
    if (state.status !== 'live' || !guarded) return { ok: false, refusal: 'grant-revoked' };
    const rowsNow = await readFence(guarded);
    const fenceRefusal = judgeFence(guarded, rowsNow);
    if (fenceRefusal) return refuseAfterFenceChange(grantId, fenceRefusal, state, context);
    const userIsDisabled = isClosed(rowsNow, accountSubject(guarded.userId));
    return { ok: true, value: { grant: state, userIsDisabled } };
  };
  return <R extends string>(issuing: Issuing<R>) => issue(issuing).catch(refuseUnreadable);
};

/**
 * While a grant's stream holds an event that cannot be decoded, nothing is issued for it, until an operator has skipped
 * the event (ADR 37).
 */
const refuseUnreadable = (error: unknown): IssuedOrNot<never> => {
  if (error instanceof StreamUnreadable) return { ok: false, refusal: 'on-hold' };
  throw error;
};

const guardedOf = (grant: Grant, { grantId, needsApprover }: Issuing<string>): Guarded | null => {
  if (grant.status === 'none') return null;
  const { addonId, userId, subject } = grant.terms;
  return { grantId, addonId, userId, subject, needsApprover };
};

/**
 * The fence closed, or moved to another epoch, between the two reads: what was appended must never be answered. After a
 * suspension or a hold the client may ask for a rotation again, but not for the exchange of a code (docs/flows.md).
 */
const makeRefuseAfterFenceChange = (dependencies: GrantDependencies) => {
  const { store, now, cache } = dependencies;
  const revokeAfterFenceChange = makeRevokeAfterFenceChange(dependencies);
  return async (
    grantId: string,
    fenceRefusal: FenceRefusal,
    { current: { rotation } }: LiveGrant,
    context: CommandContext | undefined,
  ): Promise<Outcome<never, ClosedRefusal>> => {
    await revokeAfterFenceChange(grantId, fenceRefusal, context);
    if (fenceRefusal === 'addon-suspended' || fenceRefusal === 'on-hold') {
      const stream = grantStream(grantId);
      const withheld = await retryUnknownOutcome(() =>
        handle(store, stream, grantDecider, (grant) => withholdTokens(grant, { rotation, now: now() }), {
          context,
          load: () => loadGrant(store, stream, { known: cache.get(grantId) }),
        }),
      );
      cache.remember(grantId, withheld);
    }
    return { ok: false, refusal: asGrantRefusal(fenceRefusal) };
  };
};

/**
 * Whether the user who approved a code was disabled since, even if enabled again by now (TC-15): an organization's code
 * does not depend on the account's epoch. Reads the log only for accounts that were ever disabled; its order decides
 * which came first.
 */
const disabledSince = async (
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
