import { activationDecider, type ActivationEvent } from '../../domain/organizations/activation.ts';
import { fold, type Instant } from '../../domain/kernel/decision.ts';
import { isClosed } from '../../domain/organizations/organization.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { activationStream } from '../../domain/streams.ts';
import type { RecordedEvent, Position } from '../../eventstore/event-store.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';

export type Activation = {
  readonly status: 'never-activated' | 'active' | 'deactivated';
  readonly epoch: number;
  /** One for each epoch, oldest first. */
  readonly history: readonly ActivationEpoch[];
};

export type ActivationEpoch = {
  readonly epoch: number;
  readonly activated: Acted;
  /** Null while the epoch lasts. */
  readonly deactivated: Acted | null;
  /** Of grants and codes that it ended and that had not expired; null before RevocationCompleted (DE-04). */
  readonly revokedGrants: number | null;
  /** When that was recorded, in milliseconds since the Unix epoch: all tokens of the epoch are refused since then at the latest. */
  readonly revokedAt: Instant | null;
};

/** Who acted (a user's id or `break-glass`), when, and at which position the event is. */
export type Acted = { readonly by: string; readonly at: Instant; readonly position: Position };

/**
 * Reads the activation from its stream, so it is never older than any answer given before; a closed organization has none.
 * @param organization what the caller knows of it, or asks the fence: that saves a read
 */
export const makeShowActivation =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, addonId: string, organization?: 'is open'): Promise<Activation> => {
    if (!isUlid(organizationId) || !isUlid(addonId))
      return { status: 'never-activated', epoch: 0, history: [] };
    const { events } = await store.read(activationStream(organizationId, addonId));
    const { status, epoch } = fold(
      activationDecider,
      events.map(({ event }) => event as ActivationEvent),
    );
    const isEnded =
      status === 'active' &&
      organization !== 'is open' &&
      isClosed(await organizationNow(store, organizationId));
    return { status: isEnded ? 'deactivated' : status, epoch, history: historyOf(events) };
  };

const historyOf = (events: readonly RecordedEvent[]): readonly ActivationEpoch[] => {
  const epochs = new Map<number, ActivationEpoch>();
  const change = (epoch: number, change: Partial<ActivationEpoch>) => {
    const before = epochs.get(epoch);
    if (before) epochs.set(epoch, { ...before, ...change });
  };
  for (const { event, position } of events) {
    if (event.type === 'AddonActivated') {
      const { epoch, by, at } = event.data;
      const activated = { by, at, position };
      epochs.set(epoch, { epoch, activated, deactivated: null, revokedGrants: null, revokedAt: null });
    } else if (event.type === 'AddonDeactivated') {
      const { epoch, by, at } = event.data;
      change(epoch, { deactivated: { by, at, position } });
    } else if (event.type === 'RevocationCompleted')
      change(event.data.epoch, { revokedGrants: event.data.grants, revokedAt: event.data.at });
  }
  return [...epochs.values()];
};
