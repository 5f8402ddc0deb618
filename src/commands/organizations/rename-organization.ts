import { nameProblem, normaliseName } from '../../domain/kernel/name.ts';
import { renameOrganization } from '../../domain/organizations/organization.ts';
import { changeOrganization, type OrganizationChanged } from './change-organization.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';

export type RenameOrganization = { readonly organizationId: string; readonly name: string };

/** Gives an organization another name. The same name again changes nothing; names need not be unique. */
export const makeRenameOrganization =
  (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    request: RenameOrganization,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<OrganizationChanged, 'organization-unknown' | 'invalid'>> => {
    const name = normaliseName(request.name);
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    return changeOrganization(
      dependencies,
      { organizationId: request.organizationId, name },
      renameOrganization,
      context,
    );
  };
