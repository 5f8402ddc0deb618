import { addAuditor, isAuditedBy, removeAuditor } from '../../domain/organizations/organization.ts';
import { changeOrganization, type UserOfOrganization } from './change-organization.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Changed, Outcome } from '../kernel/outcome.ts';
import { accountNow, organizationNow } from '../../eventstore/state-of.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Lets a user who has the role read the organization's audit log. Adding twice changes nothing. */
export const makeAddAuditor =
  (dependencies: Dependencies) =>
  async (
    request: UserOfOrganization,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'organization-unknown' | 'user-unknown' | 'not-an-auditor'>> => {
    const account = await accountNow(dependencies.store, request.userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (!account.roles.includes('auditor')) return { ok: false, refusal: 'not-an-auditor' };
    return changeOrganization(dependencies, request, addAuditor, context);
  };

/** Removes an auditor, for every request that begins after the answer; nothing changes for a user who is none. */
export const makeRemoveAuditor =
  (dependencies: Dependencies) =>
  async (
    request: UserOfOrganization,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'organization-unknown' | 'user-unknown'>> => {
    const account = await accountNow(dependencies.store, request.userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    return changeOrganization(dependencies, request, removeAuditor, context);
  };

/** Whether the account has the role and audits the organization, both from the log, as for administrators (AC-04). */
export const makeIsAuditor =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, userId: string): Promise<boolean> => {
    const [account, organization] = await Promise.all([
      accountNow(store, userId),
      organizationNow(store, organizationId),
    ]);
    return (
      account.status === 'enabled' && account.roles.includes('auditor') && isAuditedBy(organization, userId)
    );
  };
