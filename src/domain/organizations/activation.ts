import type { EventsIn } from '../describe-event.ts';
import { isUserId } from '../kernel/actor.ts';
import { accept, refuse, type Decider, type Decision, type Instant, type At } from '../kernel/decision.ts';
import type { activationEvents } from './events.ts';

export type ActivationEvent = EventsIn<typeof activationEvents>;

/** `revokedUpTo` is the newest epoch whose grants all have their GrantRevoked; 0 before the first. */
export type ActivationState = {
  readonly status: 'never-activated' | 'active' | 'deactivated';
  /** The epoch of the current or last activation; 0 before the first. */
  readonly epoch: number;
  readonly revokedUpTo: number;
  /** When a refusal was last recorded for each administrator, by user id. */
  readonly refusedAt: ReadonlyMap<string, Instant>;
  /** Times of the activations within the 24 hours up to the newest one, oldest first. */
  readonly recentActivations: readonly Instant[];
};

const day = 86_400_000;

/**
 * How many activations are allowed within any 24 hours. Each activation and deactivation reads the whole stream and
 * makes it longer: this limit is more than people need, and low enough to keep reads fast.
 */
export const activationsADay = 200;

export const activationDecider: Decider<ActivationState, ActivationEvent> = {
  initial: {
    status: 'never-activated',
    epoch: 0,
    revokedUpTo: 0,
    refusedAt: new Map(),
    recentActivations: [],
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'AddonActivated': {
        const { epoch, at } = event.data;
        const recentActivations = [...state.recentActivations.filter((earlier) => at < earlier + day), at];
        return { ...state, status: 'active', epoch, recentActivations };
      }
      case 'AddonDeactivated':
        return { ...state, status: 'deactivated', epoch: event.data.epoch };
      case 'RevocationCompleted':
        return { ...state, revokedUpTo: Math.max(state.revokedUpTo, event.data.epoch) };
      case 'AuthorizationRefused': {
        const { userId, at } = event.data;
        return { ...state, refusedAt: new Map(state.refusedAt).set(userId, at) };
      }
    }
  },
};

export type ChangeActivation = At<'organizationId' | 'addonId' | 'by'>;

/** Starts the next epoch; an active add-on stays (DE-05). Operators have no daily limit: nobody may keep an add-on switched off by it. */
export function activateAddon(
  { status, epoch, recentActivations }: ActivationState,
  { now, asOperator = false, ...who }: ChangeActivation & { readonly asOperator?: boolean },
): Decision<ActivationEvent, 'activated-too-often'> {
  if (status === 'active') return accept();
  if (!asOperator && isUserId(who.by) && now < mayActivateFrom(recentActivations))
    return refuse('activated-too-often');
  return accept({ type: 'AddonActivated', data: { ...who, epoch: epoch + 1, at: now } });
}

/** The first time at which fewer than `activationsADay` activations lie within the 24 hours before. */
export const mayActivateFrom = (recentActivations: ActivationState['recentActivations']): Instant => {
  const first = recentActivations.at(-activationsADay);
  return recentActivations.length < activationsADay || first === undefined ? 0 : first + day;
};

/** Ends the epoch, and with it everything granted under it (DE-01). Deactivating twice changes nothing (DE-05). */
export function deactivateAddon(
  { status, epoch }: ActivationState,
  { now, ...who }: ChangeActivation,
): Decision<ActivationEvent, 'never-activated'> {
  if (status === 'never-activated') return refuse('never-activated');
  if (status === 'deactivated') return accept();
  return accept({ type: 'AddonDeactivated', data: { ...who, epoch, at: now } });
}

/** Records, once per epoch, that all its grants are revoked (DE-04). */
export function completeRevocation(
  { revokedUpTo }: ActivationState,
  { epoch, grants, now }: { readonly epoch: number; readonly grants: number; readonly now: Instant },
): Decision<ActivationEvent> {
  if (epoch <= revokedUpTo) return accept();
  return accept({ type: 'RevocationCompleted', data: { epoch, grants, at: now } });
}

/** A second refusal of the same administrator within this time is not recorded: it must not fill the stream. */
const refusalsEvery = 3_600_000;

/** Records an authorization that was refused because the add-on was deactivated; no other refusal is (AZ-23). */
export function noteRefusal(
  { status, refusedAt }: ActivationState,
  { userId, now }: At<'userId'>,
): Decision<ActivationEvent> {
  const last = refusedAt.get(userId);
  if (status !== 'deactivated' || (last !== undefined && now < last + refusalsEvery)) return accept();
  return accept({ type: 'AuthorizationRefused', data: { userId, reason: 'addon-not-active', at: now } });
}
