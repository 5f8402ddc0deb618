import { breakGlass } from '../domain/kernel/actor.ts';
import type { AddonGrants } from '../commands/access/addon-grants.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { CommandDependencies } from '../commands/kernel/dependencies.ts';
import { makeDeactivateAddon } from '../commands/organizations/deactivate-addon.ts';
import type { DomainEvent } from '../domain/events.ts';
import { fenceRowOf } from '../domain/fence/fence-rows.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import { addonStream, organizationStream, type StreamName } from '../domain/streams.ts';
import { comparePositions, type RecordedEvent } from '../eventstore/event-store.ts';
import { makeEndGrants } from './end-grants.ts';

/** What an organization or an add-on has that ends with it, from the read models. */
export type ActivationReads = Pick<AddonGrants, 'catchUp' | 'activatedFor' | 'own'> & {
  /** Every add-on that the organization ever activated. */
  readonly addonsActivatedFor: (organizationId: string) => Promise<readonly string[]>;
};

export type EndActivationsDependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly activationReads: ActivationReads;
};

/**
 * After OrganizationClosed or AddonRetired, one AddonDeactivated for each activation that is left, and for a retired add-on one
 * GrantRevoked for each grant of own data: nothing of them was accepted since. So does an activation that came too late and whose
 * process was killed before it took it back. Repeatable.
 */
export const makeEndActivations = (dependencies: EndActivationsDependencies) => {
  const { store, fence, activationReads } = dependencies;
  const deactivate = makeDeactivateAddon(dependencies);
  const endGrants = makeEndGrants(dependencies);
  /** Whether something in the stream's past ends every activation. */
  const endedBefore = async (stream: StreamName, { position }: RecordedEvent): Promise<boolean> =>
    (await store.read(stream)).events.some(
      (one) => isEnd(one.event) && comparePositions(one.position, position) < 0,
    );
  return async (recorded: RecordedEvent, signal: AbortSignal, context?: CommandContext): Promise<void> => {
    const { event, stream, metadata } = recorded;
    if (event.type === 'AddonActivated') {
      const { organizationId, addonId, by } = event.data;
      const streams = [organizationStream(organizationId), addonStream(addonId)];
      const ended = await Promise.all(streams.map((one) => endedBefore(one, recorded)));
      if (ended.includes(true)) await deactivate({ organizationId, addonId, by }, context);
      return;
    }
    if (!isEnd(event)) return;
    const row = fenceRowOf(recorded);
    if (row) await fence.write([row]);
    await activationReads.catchUp(signal);
    const { actor: by = breakGlass, tokenId = null, reason } = metadata;
    const request = context && { ...context, ...(reason !== undefined && { reason }) };
    const end = async (organizationId: string, addonId: string) => {
      signal.throwIfAborted();
      await deactivate({ organizationId, addonId, by, tokenId }, request);
    };
    const id = idOf(stream);
    if (event.type === 'OrganizationClosed') {
      for (const addonId of await activationReads.addonsActivatedFor(id)) await end(id, addonId);
      return;
    }
    for await (const page of activationReads.activatedFor(id))
      for (const organizationId of page) await end(organizationId, id);
    const own = { grants: activationReads.own(id), reason: 'addon-retired', cause: recorded } as const;
    await endGrants({ ...own, actor: 'end-activations' }, signal, context);
  };
};

const isEnd = ({ type }: DomainEvent): boolean => type === 'OrganizationClosed' || type === 'AddonRetired';
