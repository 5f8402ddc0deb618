import type { Decision } from '../domain/decision.ts';
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
} from '../domain/fence.ts';
import {
  grantDecider,
  type Grant,
  type GrantEvent,
  type GrantTerms,
  type LiveGrant,
} from '../domain/grant.ts';
import { withholdTokens } from '../domain/grant-refresh.ts';
import { grantStream } from '../domain/streams.ts';
import { StreamUnreadable } from '../eventstore/event-store.ts';
import { completeFence } from './complete-fence.ts';
import type { CommandContext } from './context.ts';
import { disabledSince } from './disabled-since.ts';
import { handle } from './handle.ts';
import type { Outcome } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';
import type { GrantDependencies } from './grant-cache.ts';
import { makeRevokeAfterFenceChange } from './revoke-after-fence-change.ts';
import { loadGrant } from './load-grant.ts';
import { openGrant, type Outsider } from './open-grant.ts';

export type Issuing<R extends string> = {
  readonly context: CommandContext | undefined;
  readonly grantId: string;
  /** The presenting add-on, for the auditor. */
  readonly addonId: string;
  readonly needsApprover: boolean;
  readonly outsiderOf: (terms: GrantTerms) => Outsider<R> | null;
  /** Whether what is presented tells that the grant was likely refreshed many times. */
  readonly isLikelyLong: boolean;
  readonly decide: (grant: Grant, fence: FenceRefusal | null) => Decision<GrantEvent, R>;
};

type ClosedRefusal = ReturnType<typeof asGrantRefusal>;

/** The grant whose current pair may be answered, and whether its user is one whom nobody is told about any more. */
export type Issued = { readonly grant: LiveGrant; readonly userIsDisabled: boolean };

/** `grant` is what was decided on, where a refusal needs to be explained. */
type IssuedOrNot<R extends string> = Outcome<Issued, R | ClosedRefusal> & { readonly grant?: Grant };

/**
 * The way to every pair of tokens: look at the fence, decide, append, and look at the fence again before answering
 * (P2). Warm, that is one append between two reads of the fence and no read of the stream.
 */
export const makeIssueTokens = (dependencies: GrantDependencies) => {
  const { store, fence, cache } = dependencies;
  /** The user's account too, although an organization's tokens do not hang on it (AC-03): an id_token does. */
  const lookAt = async (guarded: Guarded | null) =>
    guarded ? fence.read([...new Set([...fenceSubjectsOf(guarded), accountSubject(guarded.userId)])]) : [];
  const disabledMeanwhile = async (
    { needsApprover }: Issuing<string>,
    grant: Grant,
    rows: readonly FenceRow[],
  ) =>
    needsApprover && grant.status === 'code-issued' && (await disabledSince(store, grant.terms, rows))
      ? 'account-disabled'
      : null;
  const refuseSlipped = makeRefuseSlipped(dependencies);

  const issue = async <R extends string>(issuing: Issuing<R>): Promise<IssuedOrNot<R>> => {
    const { context, grantId, addonId, decide } = issuing;
    const stream = grantStream(grantId);
    const opened = await retryUnknownOutcome(() => openGrant(dependencies, issuing));
    if ('refusal' in opened) return { ok: false, refusal: opened.refusal };
    const { known } = opened;
    const guarded = guardedOf(known.state, issuing);
    const rows = await lookAt(guarded);
    const closed =
      guarded && (judgeFence(guarded, rows) ?? (await disabledMeanwhile(issuing, known.state, rows)));
    // Nothing moves a grant that has used up its hour but what the fence has just told: no need to read it again, each time.
    const settled = decide(known.state, closed).refusal;
    if (settled === 'rotated-too-often') return { ok: false, refusal: settled, grant: known.state };
    const metadata = { actor: `addon:${addonId}` };
    const handled = await retryUnknownOutcome((attempt) =>
      handle(store, stream, grantDecider, (grant) => decide(grant, closed), {
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
    const rowsNow = await lookAt(guarded);
    const slipped = judgeFence(guarded, rowsNow);
    if (slipped) return refuseSlipped(grantId, slipped, state, context);
    const userIsDisabled = isClosed(rowsNow, accountSubject(guarded.userId));
    return { ok: true, value: { grant: state, userIsDisabled } };
  };
  return <R extends string>(issuing: Issuing<R>) => issue(issuing).catch(refuseUnreadable);
};

/** Of a grant that holds an event that cannot be decoded nothing is issued, until an operator has passed it over (ADR 37). */
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
 * The fence closed, or moved to another epoch, between the two looks: what was appended must never be answered. After a
 * suspension or a hold a rotation may be asked for again; of a code that was exchanged there is no more (docs/flows.md).
 */
const makeRefuseSlipped = (dependencies: GrantDependencies) => {
  const { store, now, cache } = dependencies;
  const endSlipped = makeRevokeAfterFenceChange(dependencies);
  return async (
    grantId: string,
    slipped: FenceRefusal,
    { current: { rotation } }: LiveGrant,
    context: CommandContext | undefined,
  ): Promise<Outcome<never, ClosedRefusal>> => {
    await endSlipped(grantId, slipped, context);
    if (slipped === 'addon-suspended' || slipped === 'on-hold') {
      const stream = grantStream(grantId);
      const withheld = await retryUnknownOutcome(() =>
        handle(store, stream, grantDecider, (grant) => withholdTokens(grant, { rotation, now: now() }), {
          context,
          load: () => loadGrant(store, stream, { known: cache.get(grantId) }),
        }),
      );
      cache.remember(grantId, withheld);
    }
    return { ok: false, refusal: asGrantRefusal(slipped) };
  };
};
