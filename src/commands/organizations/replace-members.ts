import { type RemovalRefusal, replaceMembers } from '../../domain/organizations/organization.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { FieldProblem, OutcomeWithProblems } from '../kernel/outcome.ts';
import { makeRevokeTokensOfFormerAdministrator } from '../people/tokens/revoke-tokens-of-former-administrator.ts';
import { changeOrganization, type OrganizationChanged } from './change-organization.ts';
import { accountNow, organizationNow } from '../../eventstore/state-of.ts';

export type ReplaceMembers = {
  readonly organizationId: string;
  /** User ids; null leaves them. */
  readonly administrators: readonly string[] | null;
  readonly auditors: readonly string[] | null;
  readonly force?: boolean;
};

type Refusal = RemovalRefusal | 'members-invalid';

/** Makes these the administrators and auditors, by one append. Whoever is no administrator any more loses their tokens for the organization. */
export const makeReplaceMembers = (dependencies: Pick<CommandDependencies, 'store' | 'now'>) => {
  const { store } = dependencies;
  const revokeTokens = makeRevokeTokensOfFormerAdministrator(dependencies);
  return async (
    { organizationId, administrators, auditors, force = false }: ReplaceMembers,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<OrganizationChanged, Refusal>> => {
    const before = await organizationNow(store, organizationId);
    if (before.status === 'unknown') return { ok: false, refusal: 'organization-unknown' };
    const added = (wanted: readonly string[] | null, present: readonly string[]) =>
      (wanted ?? [])
        .map((userId, index) => ({ userId, index }))
        .filter(({ userId }) => !present.includes(userId));
    const problems = [
      ...(await problemsOf(store, 'administrators', added(administrators, before.administrators))),
      ...(await problemsOf(store, 'auditors', added(auditors, before.auditors))),
    ];
    if (problems.length > 0) return { ok: false, refusal: 'members-invalid', problems };
    const enabled = new Set<string>();
    for (const userId of administrators ?? [])
      if ((await accountNow(store, userId)).status === 'enabled') enabled.add(userId);
    const command = {
      organizationId,
      administrators,
      auditors,
      force,
      maySignIn: (userId: string) => enabled.has(userId),
    };
    const changed = await changeOrganization(dependencies, command, replaceMembers, context);
    if (!changed.ok || administrators === null) return changed;
    for (const userId of before.administrators.filter((one) => !administrators.includes(one)))
      await revokeTokens({ userId, organizationIds: [organizationId], by: 'operator' }, context);
    return changed;
  };
};

type Store = Parameters<typeof accountNow>[0];
type Added = { readonly userId: string; readonly index: number };

const problemsOf = async (
  store: Store,
  field: 'administrators' | 'auditors',
  added: readonly Added[],
): Promise<readonly FieldProblem[]> => {
  const problems: FieldProblem[] = [];
  for (const { userId, index } of added) {
    const account = await accountNow(store, userId);
    const isGone = account.status === 'absent' || account.status === 'erased';
    const hasRole = field === 'administrators' || (!isGone && account.roles.includes('auditor'));
    if (isGone) problems.push({ field: `${field}[${index}]`, message: 'is not an account' });
    else if (!hasRole)
      problems.push({ field: `${field}[${index}]`, message: 'does not have the role auditor' });
  }
  return problems;
};
