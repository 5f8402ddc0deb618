import { approveScopes, consentDecider } from '../../domain/access/consent.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { consentStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

export type ApproveScopes = {
  readonly userId: string;
  readonly addonId: string;
  readonly subject: GrantSubject;
  readonly scopes: readonly Scope[];
  /** Resources, our own API by its name; only our own API by default. */
  readonly audiences?: readonly string[];
  /** The subjects that the user could choose from, as `choiceOf` names them. */
  readonly choice?: string;
};

/** Records what a user approved for a subject, within its current epoch (AC-05). */
export const makeApproveScopes =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { userId, addonId, subject, scopes, audiences, choice }: ApproveScopes,
    context?: CommandContext,
  ): Promise<void> => {
    const approval = {
      userId,
      addonId,
      scopes,
      epoch: subject.epoch,
      ...(audiences && { audiences }),
      ...(choice !== undefined && { choice }),
    };
    await handleRetrying(
      store,
      consentStream(subjectIdOf(subject), addonId),
      consentDecider,
      (consent) => approveScopes(consent, { ...approval, now: now() }),
      { context, metadata: { actor: userId } },
    );
  };

/** Whose data the scopes open: it names the consent stream. */
export const subjectIdOf = (subject: GrantSubject): string =>
  subject.kind === 'organization' ? subject.organizationId : subject.userId;
