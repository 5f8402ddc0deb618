import { closeOrganization } from '../domain/organization.ts';
import { changeOrganization, type OrganizationChanged } from './change-organization.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { Outcome } from './outcome.ts';

export type CloseOrganization = { readonly organizationId: string };

/**
 * Closes an organization for good: no activation that begins after the answer succeeds, and one that runs at the same
 * time takes itself back (activate-addon.ts). The caller deactivates the add-ons that are active (ADR 56).
 */
export const makeCloseOrganization =
  (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { organizationId }: CloseOrganization,
    context?: CommandContext,
  ): Promise<Outcome<OrganizationChanged, 'organization-unknown'>> =>
    changeOrganization(dependencies, { organizationId }, closeOrganization, context);
