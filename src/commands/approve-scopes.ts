import { approveScopes, consentDecider } from '../domain/consent.ts';
import type { GrantSubject } from '../domain/grant.ts';
import { consentStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** Remembers what a user approved for a subject, within its present epoch (AC-05). */
export const makeApproveScopes =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>): Commands['approveScopes'] =>
  async ({ userId, addonId, subject, scopes, audiences }) => {
    const approval = { userId, addonId, scopes, epoch: subject.epoch, ...(audiences && { audiences }) };
    await retryUnknownOutcome(() =>
      handle(
        store,
        consentStream(subjectIdOf(subject), addonId),
        consentDecider,
        (consent) => approveScopes(consent, { ...approval, now: now() }),
        { metadata: { actor: userId } },
      ),
    );
  };

/** Whose data the scopes open: it names the consent stream. */
export const subjectIdOf = (subject: GrantSubject): string =>
  subject.kind === 'organization' ? subject.organizationId : subject.userId;
