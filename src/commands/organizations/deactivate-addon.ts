import { activationDecider, deactivateAddon } from '../../domain/organizations/activation.ts';
import { addonDecider } from '../../domain/addons/addon.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { activationSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { activationStream, addonStream } from '../../domain/streams.ts';
import type { EventStore, Position } from '../../eventstore/event-store.ts';
import { byAdministrator } from '../kernel/by-administrator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

/** The answer to a deactivation (DE-06). A repeat returns the same epoch and position. */
export type DeactivationReceipt = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly epoch: number;
  readonly position: Position;
  /** When this call knew that the fence was committed: everything that begins later is refused. */
  readonly fencedAt: Instant;
  /** It had been deactivated before this call, or by an attempt of this call whose outcome was unknown. */
  readonly repeated: boolean;
};

export type DeactivateAddon = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly by: string;
  readonly tokenId?: string | null;
};

/** Ends an activation by one event and one fence row (DE-01, DE-06): no token of the epoch is accepted after the answer (P1). Repeatable. */
export const makeDeactivateAddon =
  ({ store, fence, now }: Pick<CommandDependencies, 'store' | 'fence' | 'now'>) =>
  async (
    { organizationId, addonId, by, tokenId }: DeactivateAddon,
    context?: CommandContext,
  ): Promise<Outcome<DeactivationReceipt, 'addon-unknown' | 'organization-unknown' | 'never-activated'>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    if (!isUlid(organizationId)) return { ok: false, refusal: 'organization-unknown' };
    const stream = activationStream(organizationId, addonId);
    const handled = await handleRetrying(
      store,
      stream,
      activationDecider,
      (activation) => deactivateAddon(activation, { organizationId, addonId, by, now: now() }),
      { context, ...byAdministrator(by, tokenId) },
    );
    const { revision, events } = handled;
    if (events.length === 0) await completeFence(fence, activationSubject(organizationId, addonId), handled);
    if (handled.refusal !== undefined || revision === 'no-stream')
      return { ok: false, refusal: await whyNever(store, organizationId, addonId) };
    if (events.length > 0) await completeFence(fence, activationSubject(organizationId, addonId), handled);
    const fencedAt = now();
    const repeated = events.length === 0;
    const { epoch, position } = repeated
      ? await lastDeactivation(store, stream)
      : {
          epoch: handled.state.epoch,
          position: handled.position ?? (await lastDeactivation(store, stream)).position,
        };
    return { ok: true, value: { organizationId, addonId, epoch, position, fencedAt, repeated } };
  };

/** The last one, also where somebody has activated the add-on again since an attempt of which the outcome was unknown. */
const lastDeactivation = async (
  store: EventStore,
  stream: ReturnType<typeof activationStream>,
): Promise<{ readonly epoch: number; readonly position: Position }> => {
  const { events } = await store.read(stream);
  for (const { event, position } of events.toReversed())
    if (event.type === 'AddonDeactivated') return { epoch: event.data.epoch, position };
  throw new Error('a deactivation without an event');
};

/** Read only when there is nothing to deactivate: a deactivation itself waits for no other stream. */
const whyNever = async (store: EventStore, organizationId: string, addonId: string) => {
  const [addon, organization] = await Promise.all([
    load(store, addonStream(addonId), addonDecider),
    organizationNow(store, organizationId),
  ]);
  if (addon.state.status === 'unregistered') return 'addon-unknown';
  return organization.status === 'unknown' ? 'organization-unknown' : 'never-activated';
};
