import { isUserId } from './actor.ts';
import { accept, refuse, type Decider, type Decision, type Instant } from './decision.ts';

/**
 * An add-on's activation for one organization. `epoch` counts activations from 1: everything granted under
 * an epoch dies with it (DE-05). `by` is the acting user's id; on the command line without a sign-in `break-glass`, in older events `operator`.
 */
export type ActivationEvent =
  | {
      readonly type: 'AddonActivated';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly epoch: number;
        readonly by: string;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'AddonDeactivated';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly epoch: number;
        readonly by: string;
        readonly at: Instant;
      };
    }
  | {
      /** Appended by the reaction once every live grant of the epoch has its GrantRevoked (DE-04). */
      readonly type: 'RevocationCompleted';
      readonly data: { readonly epoch: number; readonly grants: number; readonly at: Instant };
    }
  | {
      /** An administrator was sent back to the add-on with `access_denied`, because it is not active (AZ-23). */
      readonly type: 'AuthorizationRefused';
      readonly data: { readonly userId: string; readonly reason: 'addon-not-active'; readonly at: Instant };
    };

/** `revokedUpTo` is the newest epoch whose grants all have their GrantRevoked; 0 before the first. */
export type ActivationState = {
  readonly status: 'never-activated' | 'active' | 'deactivated';
  /** Of the present or last activation; 0 before the first. */
  readonly epoch: number;
  readonly revokedUpTo: number;
  /** When each administrator's refusal was remembered last, by user id. */
  readonly refusedAt: ReadonlyMap<string, Instant>;
  /** When it was activated within a day up to the newest activation, oldest first. */
  readonly lately: readonly Instant[];
};

const day = 86_400_000;

/**
 * Whoever activates and deactivates reads what became of all before it, and each such turn makes the stream longer: so many
 * within any 24 hours are more than people need, and too few to make it slow.
 */
export const activationsADay = 200;

export const activationDecider: Decider<ActivationState, ActivationEvent> = {
  initial: { status: 'never-activated', epoch: 0, revokedUpTo: 0, refusedAt: new Map(), lately: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'AddonActivated': {
        const { epoch, at } = event.data;
        const lately = [...state.lately.filter((earlier) => at < earlier + day), at];
        return { ...state, status: 'active', epoch, lately };
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

export type ChangeActivation = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly by: string;
  readonly now: Instant;
};

/**
 * Starts the next epoch. Activating an active add-on changes nothing (DE-05). An operator may always: whoever wears an activation
 * out, with a stolen token say, must not decide that it stays off.
 */
export function activateAddon(
  { status, epoch, lately }: ActivationState,
  { now, asOperator = false, ...who }: ChangeActivation & { readonly asOperator?: boolean },
): Decision<ActivationEvent, 'activated-too-often'> {
  if (status === 'active') return accept();
  if (!asOperator && isUserId(who.by) && now < mayActivateFrom(lately)) return refuse('activated-too-often');
  return accept({ type: 'AddonActivated', data: { ...who, epoch: epoch + 1, at: now } });
}

/** From when on there are fewer than `activationsADay` within the 24 hours before. */
export const mayActivateFrom = (lately: ActivationState['lately']): Instant => {
  const first = lately.at(-activationsADay);
  return lately.length < activationsADay || first === undefined ? 0 : first + day;
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

/** Remembers, once an epoch, that its grants are revoked (DE-04). */
export function completeRevocation(
  { revokedUpTo }: ActivationState,
  { epoch, grants, now }: { readonly epoch: number; readonly grants: number; readonly now: Instant },
): Decision<ActivationEvent> {
  if (epoch <= revokedUpTo) return accept();
  return accept({ type: 'RevocationCompleted', data: { epoch, grants, at: now } });
}

/** So long a second refusal of the same administrator is not remembered: whoever asks again fills no stream. */
const refusalsEvery = 3_600_000;

/** Remembers that an authorization was refused because the add-on was deactivated; otherwise nothing (AZ-23). */
export function noteRefusal(
  { status, refusedAt }: ActivationState,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<ActivationEvent> {
  const last = refusedAt.get(userId);
  if (status !== 'deactivated' || (last !== undefined && now < last + refusalsEvery)) return accept();
  return accept({ type: 'AuthorizationRefused', data: { userId, reason: 'addon-not-active', at: now } });
}
