import { grantSubject, type FenceRefusal } from '../../domain/fence/fence.ts';
import { type GrantEnd, grantEndDecider, revokeGrant } from '../../domain/access/grant-revoke.ts';
import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { grantStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byAdministrator } from '../kernel/by-administrator.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { loadGrantEnd, readHead } from './load-grant.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

export type RevokeGrant = {
  readonly grantId: string;
  readonly reason: GrantRevocationReason;
  /** The administrator who does it, if one does. */
  readonly by?: string;
};

/**
 * Ends a grant. When this returns, every instance refuses its codes and tokens. Revoking twice appends nothing more and
 * completes what a crash left undone. A grant that does not exist is ignored.
 */
export const makeRevokeGrant =
  ({ store, fence, now }: Pick<CommandDependencies, 'store' | 'fence' | 'now'>) =>
  async ({ grantId, reason, by }: RevokeGrant, context?: CommandContext): Promise<Revoked> => {
    const stream = grantStream(grantId);
    const handled = await handleRetrying(
      store,
      stream,
      grantEndDecider,
      (grant) => revokeGrant(grant, { reason, now: now() }),
      {
        context,
        ...(by !== undefined && byAdministrator(by, null)),
        load: () => loadGrantEnd(store, stream),
      },
    );
    await completeFence(fence, grantSubject(grantId), handled);
    return { changed: handled.events.length > 0, position: handled.position };
  };

/**
 * Ends a grant that must not be answered, because the second read of the fence refused it (P2). A grant that is only
 * suspended or on hold stays, and so does one whose own row is closed.
 */
export const makeRevokeAfterFenceChange = (
  dependencies: Pick<CommandDependencies, 'store' | 'fence' | 'now'>,
) => {
  const revoke = makeRevokeGrant(dependencies);
  return async (
    grantId: string,
    fenceRefusal: FenceRefusal,
    context: CommandContext | undefined,
  ): Promise<void> => {
    const reason = revocationReasons[fenceRefusal];
    if (reason) await revoke({ grantId, reason }, context);
  };
};

/** A suspension is temporary (SU-01), a hold may be, and a grant whose own row is closed is already revoked. */
const revocationReasons = {
  'addon-deactivated': 'addon-deactivated',
  'account-disabled': 'account-disabled',
  'consent-withdrawn': 'consent-withdrawn',
  'addon-suspended': null,
  'on-hold': null,
  'token-revoked': null,
} as const satisfies Record<FenceRefusal, GrantRevocationReason | null>;

export type RevokeGrantByOperator = {
  readonly grantId: string;
  /** The reason, for the audit log. */
  readonly reason?: string;
};

/** `changed` is false where the grant's own stream had already ended it. */
type Revoked = { readonly changed: boolean; readonly position: Position | null };

/**
 * The same for an operator (RV-06), who learns whether there is such a grant. A grant that was refused for another
 * reason, such as a deactivation, now also gets its own GrantRevoked.
 */
export const makeRevokeGrantByOperator =
  ({ store, fence, now }: Pick<CommandDependencies, 'store' | 'fence' | 'now'>) =>
  async (
    { grantId, reason }: RevokeGrantByOperator,
    context?: CommandContext,
  ): Promise<Outcome<Revoked, 'grant-unknown'>> => {
    if (!isUlid(grantId)) return { ok: false, refusal: 'grant-unknown' };
    const stream = grantStream(grantId);
    const revoke = (grant: GrantEnd) => revokeGrant(grant, { reason: 'revoked-by-operator', now: now() });
    const handled = await handleRetrying(store, stream, grantEndDecider, revoke, {
      context,
      ...byOperator(reason),
      load: () => loadGrantEnd(store, stream),
    });
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(fence, grantSubject(grantId), handled);
    return { ok: true, value: { changed: handled.events.length > 0, position: handled.position } };
  };

export type RevokeGrantOfOrganization = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly grantId: string;
  /** The administrator. */
  readonly by: string;
};

/**
 * Ends one grant of an add-on for an organization, for an administrator of it. When this returns, every instance refuses
 * its code and its tokens. A grant of another organization or add-on, and a user's own, are refused like unknown ones.
 */
export const makeRevokeGrantOfOrganization = (
  dependencies: Pick<CommandDependencies, 'store' | 'fence' | 'now'>,
) => {
  const revoke = makeRevokeGrant(dependencies);
  return async (
    { organizationId, addonId, grantId, by }: RevokeGrantOfOrganization,
    context?: CommandContext,
  ): Promise<Outcome<null, 'grant-unknown'>> => {
    if (!isUlid(grantId)) return { ok: false, refusal: 'grant-unknown' };
    const [first] = await readHead(dependencies.store, grantStream(grantId));
    const terms = first?.event.type === 'AuthorizationCodeIssued' ? first.event.data : null;
    const isTheirs =
      terms?.addonId === addonId &&
      terms.subject.kind === 'organization' &&
      terms.subject.organizationId === organizationId;
    if (!isTheirs) return { ok: false, refusal: 'grant-unknown' };
    await revoke({ grantId, reason: 'revoked-by-operator', by }, context);
    return { ok: true, value: null };
  };
};
