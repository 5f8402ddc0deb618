import {
  addonDecider,
  type AddonChange,
  type AddonEvent,
  type AddonState,
  type ProposedChange,
} from '../../domain/addons/addon.ts';
import {
  approveChange,
  type ApprovalRefusal,
  changeProblems,
  type DecisionRefusal,
  proposalEndedAt,
  proposedIn,
  type ProposalRefusal,
  refuseChange,
  requestChange,
  withdrawChange,
} from '../../domain/addons/addon-changes.ts';
import { emptyChange } from '../../domain/addons/addon-update.ts';
import type { Decision, Instant } from '../../domain/kernel/decision.ts';
import { isUserId } from '../../domain/kernel/actor.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Account } from '../../domain/people/account.ts';
import { addonStream } from '../../domain/streams.ts';
import type { Position, RecordedEvent } from '../../eventstore/event-store.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { Acting, CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { knownFrom } from '../kernel/handle.ts';
import { pausedUntil } from '../kernel/paused-until.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { makeOwnAddon, type OwnAddon } from './own-addon.ts';
import { readShownChanges, revisionOf, type ShownChange } from './shown-changes.ts';
import { accountNow, publisherNow } from '../../eventstore/state-of.ts';
import { onAddon } from '../kernel/handle-retrying.ts';
import { actorsBehind } from '../people/tokens/load-administrator-tokens.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'newId'> & {
  readonly addons: AddonDirectory;
};

type ChangeOf = { readonly addonId: string; readonly changeId: string };
export type ChangeDecided = { readonly change: ShownChange; readonly position: Position | null };

/** Decides on one change. Where the answer of the first attempt was lost, the second finds its own decision. */
const decide = async <R extends string>(
  { store, addons }: Pick<Dependencies, 'store' | 'addons'>,
  { addonId, changeId }: ChangeOf,
  {
    becomes,
    by,
  }: { readonly becomes: AddonChange['state']; readonly by: (addon: AddonState) => Decision<AddonEvent, R> },
  context: CommandContext | undefined,
): Promise<OutcomeWithProblems<ChangeDecided, R>> => {
  const { before, refusal, events, position } = await onAddon(
    store,
    addonId,
    (addon, attempt): Decision<AddonEvent, R> =>
      attempt === 'again' && changeIn(addon, changeId)?.state === becomes ? { events: [] } : by(addon),
    { context, ...byOperator() },
  );
  if (events.length > 0) addons.forget(addonId);
  const change = await shownChange(store, addonId, changeId);
  if (refusal === undefined && change) return { ok: true, value: { change, position } };
  if (refusal === undefined) throw new Error(`the change ${changeId} is not in its stream`);
  const problems = change && refusal === 'change-outdated' ? changeProblems(before, proposedIn(change)) : [];
  return { ok: false, refusal, ...(problems.length > 0 && { problems }) };
};

const shownChange = async (store: Dependencies['store'], addonId: string, changeId: string) =>
  (await readShownChanges(store, addonId)).changes.find((known) => known.changeId === changeId);

const changeIn = (addon: AddonState, changeId: string): AddonChange | undefined =>
  addon.status === 'unregistered' ? undefined : addon.changes.find((known) => known.changeId === changeId);

/**
 * A member proposes a change of an own add-on. `isFree`: the service approves it at once. Both streams are read again after the proposal:
 * where it follows the end of the membership, it is withdrawn before the answer. So what is approved was proposed by a member.
 */
export const makeProposeAddonChange = (dependencies: Dependencies) => {
  const { store, now, newId, addons } = dependencies;
  const own = makeOwnAddon(dependencies);
  const withdraw = makeWithdrawAddonChange(dependencies);
  const approve = makeApproveAddonChange(dependencies);
  return async (
    { addonId, member, isFree, ...given }: OwnAddon & { readonly isFree: boolean } & Partial<ProposedChange>,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<ChangeDecided, ProposalRefusal | ApprovalRefusal>> => {
    if (!(await own({ addonId, member }))) return { ok: false, refusal: 'addon-unknown' };
    const changeId = newId();
    const change = { ...emptyChange, ...given };
    const request = { changeId, by: member.userId, change, now: now() };
    const asked = await onAddon(store, addonId, (addon) => requestChange(addon, request), {
      context,
      ...byOperator(),
    });
    addons.forget(addonId);
    const { refusal, before, position } = asked;
    if (refusal === 'change-invalid') return { ok: false, refusal, problems: changeProblems(before, change) };
    if (refusal !== undefined) return { ok: false, refusal };
    const takenBack = async () => {
      await withdraw({ addonId, changeId }, context);
      return { ok: false, refusal: 'addon-unknown' } as const;
    };
    if (!(await own({ addonId, member }))) return takenBack();
    const waiting = await shownChange(store, addonId, changeId);
    if (!waiting) throw new Error(`the change ${changeId} is not in its stream`);
    if (!isFree) return { ok: true, value: { change: waiting, position } };
    const approved = await approve({ addonId, changeId, by: null }, context);
    return approved.ok || approved.refusal !== 'author-not-a-member' ? approved : takenBack();
  };
};

/** Ends a change that waits, for its publisher. */
export const makeWithdrawAddonChange =
  (dependencies: Pick<Dependencies, 'store' | 'now' | 'addons'>) =>
  async (
    { addonId, changeId }: ChangeOf,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<ChangeDecided, DecisionRefusal>> =>
    decide(
      dependencies,
      { addonId, changeId },
      { becomes: 'withdrawn', by: (addon) => withdrawChange(addon, { changeId, now: dependencies.now() }) },
      context,
    );

type Approval = { readonly by: null } | { readonly by: string; readonly revision: string };

/**
 * Lets a change take effect, in the same append. It is refused where a person is behind both the proposal and the approval, where the
 * author has left the publisher, where it no longer fits, and where it changes other than what was shown. @param approval by the operator,
 * with the `revision` that was shown; null: nobody has to
 */
export const makeApproveAddonChange =
  (dependencies: Dependencies) =>
  async (
    { addonId, changeId, ...approval }: ChangeOf & Approval,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<ChangeDecided, ApprovalRefusal>> => {
    const { store, now } = dependencies;
    const { by } = approval;
    const isAsShown = (addon: AddonState, change: AddonChange) =>
      approval.by === null || revisionOf(addon, change) === approval.revision;
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const { events } = await store.read(addonStream(addonId));
    const endedAt = await whenEnded(store, knownFrom(addonDecider, events).state);
    const approver = by === null ? null : { actor: by, tokenId: context?.acting?.tokenId ?? null };
    const isOwn = await isSameBehind(store, proposerIn(events, changeId), approver);
    return decide(
      dependencies,
      { addonId, changeId },
      {
        becomes: 'approved',
        by: (found) => approveChange(found, { changeId, isOwn, endedAt, isAsShown, now: now() }),
      },
      context,
    );
  };

/** Who proposed a change, and with which token. */
const proposerIn = (events: readonly RecordedEvent[], changeId: string): Acting | null =>
  events
    .map(({ event, metadata: { tokenId = null } }) =>
      event.type === 'AddonChangeRequested' && event.data.changeId === changeId
        ? { actor: event.data.by, tokenId }
        : null,
    )
    .find((proposer) => proposer !== null) ?? null;

/** Whether a person is behind both. */
const isSameBehind = async (
  store: Dependencies['store'],
  one: Acting | null,
  other: Acting | null,
): Promise<boolean> => {
  if (one === null || other === null) return false;
  const [these, those] = [await actorsBehind(store, one), await actorsBehind(store, other)];
  return [...these].some((actor) => isUserId(actor) && those.has(actor));
};

/** An operator refuses a change. The reason is shown to the publisher. */
export const makeRefuseAddonChange =
  (dependencies: Dependencies) =>
  async (
    { addonId, changeId, reason }: ChangeOf & { readonly reason: string | null },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<ChangeDecided, DecisionRefusal>> =>
    isUlid(addonId)
      ? decide(
          dependencies,
          { addonId, changeId },
          {
            becomes: 'refused',
            by: (addon) => refuseChange(addon, { changeId, reason, now: dependencies.now() }),
          },
          context,
        )
      : { ok: false, refusal: 'addon-unknown' };

/** When a waiting change ended with its author's rights, as the streams of the publisher and of the authors say; null: it has not. */
const whenEnded = async (store: Dependencies['store'], addon: AddonState) => {
  if (addon.status === 'unregistered') return () => null;
  const publisher = await publisherNow(store, addon.publisherId ?? '');
  const waiting = addon.changes.filter(({ state }) => state === 'waiting');
  const authors = new Map<string, Account>();
  for (const { by } of waiting) if (!authors.has(by)) authors.set(by, await accountNow(store, by));
  return (change: AddonChange) => {
    const author = authors.get(change.by);
    return author ? proposalEndedAt(change, { publisher, author }) : change.requestedAt;
  };
};

/** The changes of an add-on, the newest first, from the log. Null for an unknown add-on. */
export const makeListAddonChanges =
  ({ store }: Pick<Dependencies, 'store'>) =>
  async (addonId: string): Promise<readonly ShownChange[] | null> => {
    if (!isUlid(addonId)) return null;
    const { addon, changes } = await readShownChanges(store, addonId);
    if (addon.status === 'unregistered') return null;
    const endedAt = await whenEnded(store, addon);
    return changes.toReversed().map((change) => {
      const ended = change.state === 'waiting' ? endedAt(change) : null;
      return ended === null ? change : { ...change, state: 'withdrawn', decidedAt: ended };
    });
  };

/** As many events of an add-on within a day leave room for operators, and as many of a member for the others. */
export const addonEventsADay = 200;
export const memberEventsADay = 100;
const day = 86_400_000;

/** When a member may change the add-on again, by the log; null: now. */
export const makeAddonChangesPausedUntil =
  ({ store, now }: Pick<Dependencies, 'store' | 'now'>) =>
  async (addonId: string, userId: string): Promise<Instant | null> =>
    pausedUntil(store, addonStream(addonId), now(), {
      period: day,
      most: addonEventsADay,
      of: { actor: userId, most: memberEventsADay },
    });
