import { eventIdOf } from '../common/event-id.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { activationDecider, completeRevocation } from '../domain/organizations/activation.ts';
import { activationSubject } from '../domain/fence/fence.ts';
import { activationStream } from '../domain/streams.ts';
import type { Position, RecordedEvent } from '../eventstore/event-store.ts';
import { type GrantToEnd, makeEndGrants } from './end-grants.ts';
import { handle } from '../commands/kernel/handle.ts';
import type { CommandDependencies } from '../commands/kernel/dependencies.ts';
import { retryUnknownOutcome } from '../commands/kernel/retry-unknown-outcome.ts';

export type ActivationEpoch = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly epoch: number;
};

/** The grants of an epoch, from the read models. */
export type EpochGrants = {
  /** Not ended ones, by page: every code in the log when the first was requested has its grant here, or ended. */
  live(of: ActivationEpoch, signal: AbortSignal): AsyncIterable<readonly GrantToEnd[]>;
  /** How many the deactivation ended that had not expired, once the read models have applied the log at least up to `upTo`. */
  countEnded(
    of: ActivationEpoch & { readonly at: Instant },
    upTo: Position | null,
    signal: AbortSignal,
  ): Promise<number>;
};

export type RevocationDependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly epochGrants: EpochGrants;
};

/**
 * One GrantRevoked a grant, then RevocationCompleted (DE-04), for auditors: the fence closed long ago, or is closed here, before
 * the grants are read: a code is answered after its event and a read of the open fence, so the log has every one. Repeatable.
 */
export const makeRevokeOnDeactivation = (dependencies: RevocationDependencies) => {
  const { store, fence, now, epochGrants } = dependencies;
  const endGrants = makeEndGrants(dependencies);
  return async (recorded: RecordedEvent, signal: AbortSignal, context?: CommandContext): Promise<void> => {
    if (recorded.event.type !== 'AddonDeactivated') return;
    const { organizationId, addonId, epoch, at } = recorded.event.data;
    const of = { organizationId, addonId, epoch };
    const subject = activationSubject(organizationId, addonId);
    await fence.write([{ subject, revision: recorded.revision, epoch, open: false }]);
    const reason = 'addon-deactivated';
    const ending = { grants: epochGrants.live(of, signal), reason, cause: recorded, actor } as const;
    const upTo = await endGrants(ending, signal, context);
    const grants = await epochGrants.countEnded({ ...of, at }, upTo, signal);
    await retryUnknownOutcome(() =>
      handle(
        store,
        activationStream(organizationId, addonId),
        activationDecider,
        (activation) => completeRevocation(activation, { epoch, grants, now: now() }),
        {
          context,
          metadata: { actor, causationId: recorded.id },
          eventId: () => eventIdOf(recorded.id, 'RevocationCompleted'),
        },
      ),
    );
  };
};

const actor = 'revoke-on-deactivation';
