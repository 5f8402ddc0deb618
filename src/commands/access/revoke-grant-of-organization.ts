import { isUlid } from '../../domain/kernel/ids.ts';
import { grantStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { readHead } from './load-grant.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { makeRevokeGrant } from './revoke-grant.ts';

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
