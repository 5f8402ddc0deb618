import { randomUUID } from 'node:crypto';
import { activateAddon, activationDecider, mayActivateFrom } from '../../domain/organizations/activation.ts';
import { addonDecider, type AddonState } from '../../domain/addons/addon.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { activationSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { administers, isOpen, type Organization } from '../../domain/organizations/organization.ts';
import { handOffActivation } from '../../domain/sign-in/session.ts';
import { activationStream, addonStream, type StreamName } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byAdministrator } from '../kernel/by-administrator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { makeDeactivateAddon } from './deactivate-addon.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { handleRetrying, onSession } from '../kernel/handle-retrying.ts';

export type ActivateAddon = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly by: string;
  /** The session that gets the hand-off record (AC-01); null from the CLI and with an administrator token. */
  readonly sessionId: string | null;
  readonly tokenId?: string | null;
  /** Whether an operator does it: then there is no limit. */
  readonly asOperator?: boolean;
  /** Whether an administrator of the organization does it: asked again before the answer. */
  readonly asAdministrator?: boolean;
};

type Activated = { readonly epoch: number; readonly configurationUrl: string; readonly position: Position };

type ActivationOutcome = Outcome<
  Activated,
  | 'addon-unknown'
  | 'organization-unknown'
  | 'organization-closed'
  | 'configuration-url-missing'
  | 'addon-suspended'
  | 'addon-retired'
  | 'not-an-administrator'
  | 'activated-too-often'
> & {
  /** Until when it is refused because it was activated too often. A deactivation is never refused for that. */
  readonly until?: Instant;
};

/**
 * Activates an add-on: the fence is open at the epoch everywhere when this returns. An active one is only handed off again (DE-05).
 * Add-on and organization are read again before the answer: a retirement or close finds it in the log (AM-12).
 */
export const makeActivateAddon = (dependencies: CommandDependencies) => {
  const { store, fence, now } = dependencies;
  const handOff = makeHandOff(dependencies);
  const deactivate = makeDeactivateAddon(dependencies);
  return async (
    {
      organizationId,
      addonId,
      by,
      sessionId,
      tokenId,
      asOperator = false,
      asAdministrator = false,
    }: ActivateAddon,
    context?: CommandContext,
  ): Promise<ActivationOutcome> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    if (!isUlid(organizationId)) return { ok: false, refusal: 'organization-unknown' };
    const [addon, organization] = await Promise.all([
      load(store, addonStream(addonId), addonDecider),
      organizationNow(store, organizationId),
    ]);
    const fit = fitness(addon.state, organization);
    if (!fit.ok) return fit;
    const stream = activationStream(organizationId, addonId);
    const id = randomUUID();
    const handled = await handleRetrying(
      store,
      stream,
      activationDecider,
      (activation) => activateAddon(activation, { organizationId, addonId, by, asOperator, now: now() }),
      { context, ...byAdministrator(by, tokenId), eventId: () => id },
    );
    const { state, revision, position, refusal } = handled;
    if (refusal !== undefined) return { ok: false, refusal, until: mayActivateFrom(state.recentActivations) };
    if (revision === 'no-stream' || !position) throw new Error('an activation without an event');
    const administrator = asAdministrator ? by : null;
    const tooLate = await endedMeanwhile(store, { organizationId, addonId, administrator });
    if (tooLate) {
      // What was active before is deactivated there, this activation here (ADR 56, ADR 57). Where only the administrator
      // is gone, it stays.
      if (tooLate !== 'not-an-administrator' || (await isActiveBy(store, stream, id)))
        await deactivate({ organizationId, addonId, by, ...(tokenId && { tokenId }) }, context);
      return { ok: false, refusal: tooLate };
    }
    await completeFence(fence, activationSubject(organizationId, addonId), handled);
    if (sessionId !== null) await handOff({ sessionId, organizationId, addonId }, context);
    return { ok: true, value: { epoch: state.epoch, configurationUrl: fit.configurationUrl, position } };
  };
};

/** Whether this event is what made the add-on active. */
const isActiveBy = async (store: CommandDependencies['store'], stream: StreamName, id: string) =>
  (await store.read(stream)).events.findLast(({ event }) => event.type === 'AddonActivated')?.id === id;

/** Whether the organization was closed, the add-on retired or the administrator removed since the activation began. */
const endedMeanwhile = async (
  store: CommandDependencies['store'],
  {
    organizationId,
    addonId,
    administrator,
  }: { readonly organizationId: string; readonly addonId: string; readonly administrator: string | null },
) => {
  const [addon, organization] = await Promise.all([
    load(store, addonStream(addonId), addonDecider),
    organizationNow(store, organizationId),
  ]);
  if (!isOpen(organization)) return 'organization-closed';
  if (addon.state.status === 'retired') return 'addon-retired';
  return administrator === null || administers(organization, administrator) ? null : 'not-an-administrator';
};

/** Whether an add-on may be activated for an organization at all (AC-02, SU-01). */
const fitness = (addon: AddonState, organization: Organization) => {
  if (addon.status === 'unregistered') return { ok: false, refusal: 'addon-unknown' } as const;
  if (organization.status === 'unknown') return { ok: false, refusal: 'organization-unknown' } as const;
  if (!isOpen(organization)) return { ok: false, refusal: 'organization-closed' } as const;
  if (addon.status === 'retired') return { ok: false, refusal: 'addon-retired' } as const;
  const { configurationUrl } = addon;
  if (configurationUrl === null) return { ok: false, refusal: 'configuration-url-missing' } as const;
  if (addon.status === 'suspended') return { ok: false, refusal: 'addon-suspended' } as const;
  return { ok: true, configurationUrl } as const;
};

/** Records in the administrator's session what it has just activated (AC-01); nothing in one that has ended. */
const makeHandOff =
  ({ store, now, lifetimes }: CommandDependencies) =>
  async (
    { sessionId, ...activated }: { sessionId: string; organizationId: string; addonId: string },
    context: CommandContext | undefined,
  ) => {
    const at = now();
    await onSession(
      store,
      sessionId,
      (session) => handOffActivation(session, { ...activated, expiresAt: at + lifetimes.handOff, now: at }),
      { context },
    );
  };
