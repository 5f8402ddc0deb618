import { activationDecider, noteRefusal } from '../domain/activation.ts';
import { isUlid } from '../domain/ids.ts';
import { activationStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import { makeIsAdministrator } from './is-administrator.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/**
 * Leaves an event where an administrator is told that the add-on is not active for the organization (AZ-23). Of anybody
 * else nothing is remembered: nobody writes into the stream of an organization that is none of theirs.
 */
export const makeNoteRefusal = (
  needs: Pick<CommandDependencies, 'store' | 'now'>,
): Commands['noteRefusal'] => {
  const { store, now } = needs;
  const isAdministrator = makeIsAdministrator(needs);
  return async ({ organizationId, addonId, userId }) => {
    if (!isUlid(organizationId) || !isUlid(addonId)) return;
    if (!(await isAdministrator(organizationId, userId))) return;
    await retryUnknownOutcome(() =>
      handle(
        store,
        activationStream(organizationId, addonId),
        activationDecider,
        (activation) => noteRefusal(activation, { userId, now: now() }),
        { metadata: { actor: userId } },
      ),
    );
  };
};
