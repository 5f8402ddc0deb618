import type { Decision, Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { nameProblem, normaliseName } from '../../domain/kernel/name.ts';
import {
  addMember,
  createPublisher,
  isMember,
  type Publisher,
  publisherDecider,
  type PublisherEvent,
  removeMember,
  renamePublisher,
} from '../../domain/publishers/publisher.ts';
import { publisherStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { type Changed, type Outcome, type OutcomeWithProblems, changedOutcome } from '../kernel/outcome.ts';
import { startStream } from '../kernel/start-stream.ts';
import { accountNow, publisherNow } from '../../eventstore/state-of.ts';
import { onPublisher } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Creates a publisher under a new id, without members. Names need not be unique. */
export const makeCreatePublisher =
  ({ store, now, newId }: Dependencies & Pick<CommandDependencies, 'newId'>) =>
  async (
    request: { readonly name: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<{ readonly publisherId: string }, 'invalid'>> => {
    const name = normaliseName(request.name);
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    const publisherId = (context?.once?.newId ?? newId)();
    await startStream(
      store,
      publisherStream(publisherId),
      publisherDecider,
      (publisher) => createPublisher(publisher, { publisherId, name, now: now() }),
      { context, ...byOperator() },
    );
    return { ok: true, value: { publisherId } };
  };

/** Gives it another name. Its add-ons follow by `nameAfterPublisher`. */
export const makeRenamePublisher =
  (dependencies: Dependencies) =>
  async (
    request: { readonly publisherId: string; readonly name: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<Changed, 'publisher-unknown' | 'invalid'>> => {
    const name = normaliseName(request.name);
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    return change(
      dependencies,
      request.publisherId,
      (publisher, at) => renamePublisher(publisher, { name, now: at }),
      context,
    );
  };

export type MemberOfPublisher = { readonly publisherId: string; readonly userId: string };

/** Makes a user a member by hand. Adding twice changes nothing. */
export const makeAddPublisherMember =
  (dependencies: Dependencies) =>
  async (
    { publisherId, userId }: MemberOfPublisher,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'publisher-unknown' | 'user-unknown' | 'user-erased'>> => {
    const { status } = await accountNow(dependencies.store, userId);
    if (status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (status === 'erased') return { ok: false, refusal: 'user-erased' };
    return change(
      dependencies,
      publisherId,
      (publisher, at) => addMember(publisher, { userId, now: at }),
      context,
    );
  };

/** Takes a membership that was given by hand: once it has returned, no request of the user is allowed by it. */
export const makeRemovePublisherMember =
  (dependencies: Dependencies) =>
  async (
    { publisherId, userId }: MemberOfPublisher,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'publisher-unknown' | 'user-unknown' | 'role-by-claim'>> => {
    if ((await accountNow(dependencies.store, userId)).status === 'absent')
      return { ok: false, refusal: 'user-unknown' };
    return change(
      dependencies,
      publisherId,
      (publisher, at) => removeMember(publisher, { userId, now: at }),
      context,
    );
  };

const change = async <R extends string>(
  { store, now }: Dependencies,
  publisherId: string,
  decide: (publisher: Publisher, now: Instant) => Decision<PublisherEvent, R>,
  context: CommandContext | undefined,
): Promise<Outcome<Changed, R | 'publisher-unknown'>> => {
  if (!isUlid(publisherId)) return { ok: false, refusal: 'publisher-unknown' };
  const handled = await onPublisher(store, publisherId, (state) => decide(state, now()), {
    context,
    ...byOperator(),
  });
  return changedOutcome(handled);
};

/** Whether the user may act for the publisher, from its stream. `byClaim` false: not by a provider's claim. */
export const makeIsPublisherMember =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (publisherId: string, userId: string, byClaim = true): Promise<boolean> =>
    isMember(await publisherNow(store, publisherId), userId, byClaim);
