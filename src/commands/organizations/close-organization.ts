import { closeOrganization } from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { changeOrganization } from './change-organization.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';

export type CloseOrganization = { readonly organizationId: string };

/** `closedAt` is the position of the event that closed it, also for a repeat. */
export type Closing = { readonly changed: boolean; readonly closedAt: Position };

/**
 * Permanently closes an organization: no activation that begins after the answer succeeds, and one that runs at the same
 * time takes itself back (activate-addon.ts). The caller deactivates the add-ons that are active (ADR 56).
 */
export const makeCloseOrganization =
  (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { organizationId }: CloseOrganization,
    context?: CommandContext,
  ): Promise<Outcome<Closing, 'organization-unknown'>> => {
    const outcome = await changeOrganization(dependencies, { organizationId }, closeOrganization, context);
    if (!outcome.ok) return outcome;
    const { events } = await dependencies.store.read(organizationStream(organizationId));
    const closed = events.find(({ event }) => event.type === 'OrganizationClosed');
    if (!closed) throw new Error('a closed organization without an event');
    return { ok: true, value: { changed: outcome.value.changed, closedAt: closed.position } };
  };
