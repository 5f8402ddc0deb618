import { closeOrganization, organizationDecider } from '../../domain/organizations/organization.ts';
import { organizationSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { organizationStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';
import type { Outcome } from '../kernel/outcome.ts';

export type CloseOrganization = { readonly organizationId: string };

/** `closedAt` is the position of the event that closed it, also for a repeat. */
export type Closing = { readonly changed: boolean; readonly closedAt: Position };

/**
 * Permanently closes an organization by one event and one fence row: no token for it is accepted after the answer (P1). A reaction
 * deactivates its add-ons; an activation that runs at the same time takes itself back (ADR 104). Repeatable.
 */
export const makeCloseOrganization =
  ({ store, fence, now }: Pick<CommandDependencies, 'store' | 'fence' | 'now'>) =>
  async (
    { organizationId }: CloseOrganization,
    context?: CommandContext,
  ): Promise<Outcome<Closing, 'organization-unknown'>> => {
    if (!isUlid(organizationId)) return { ok: false, refusal: 'organization-unknown' };
    const stream = organizationStream(organizationId);
    const handled = await handleRetrying(
      store,
      stream,
      organizationDecider,
      (organization) => closeOrganization(organization, { now: now() }),
      { context, ...byOperator() },
    );
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(fence, organizationSubject(organizationId), handled);
    const { events } = await store.read(stream);
    const closed = events.find(({ event }) => event.type === 'OrganizationClosed');
    if (!closed) throw new Error('a closed organization without an event');
    return { ok: true, value: { changed: handled.events.length > 0, closedAt: closed.position } };
  };
