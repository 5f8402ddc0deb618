import { activationDecider, noteRefusal } from '../../domain/organizations/activation.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { activationStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import { makeIsAdministrator } from './is-administrator.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

export type NoteRefusal = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly userId: string;
};

/** Records that an administrator saw the deactivation, once an hour at most (AZ-23); of others nothing is recorded. */
export const makeNoteRefusal = (dependencies: Pick<CommandDependencies, 'store' | 'now'>) => {
  const { store, now } = dependencies;
  const isAdministrator = makeIsAdministrator(dependencies);
  return async (
    { organizationId, addonId, userId }: NoteRefusal,
    context?: CommandContext,
  ): Promise<void> => {
    if (!isUlid(organizationId) || !isUlid(addonId)) return;
    if (!(await isAdministrator(organizationId, userId))) return;
    await handleRetrying(
      store,
      activationStream(organizationId, addonId),
      activationDecider,
      (activation) => noteRefusal(activation, { userId, now: now() }),
      { context, metadata: { actor: userId } },
    );
  };
};
