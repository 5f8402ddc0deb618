import { english } from '../../common/words.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import { decideAll } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { nameProblem, normaliseName } from '../../domain/kernel/name.ts';
import { externalIdProblem, normaliseExternalId } from '../../domain/organizations/external-id.ts';
import {
  disownExternalId,
  organizationDecider,
  type Organization,
  type OrganizationEvent,
  type RemovalRefusal,
  renameOrganization,
  replaceMembers,
  setExternalId,
  showToPublishers,
} from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { accountNow, organizationNow } from '../../eventstore/state-of.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { externalIdStreams } from '../kernel/claim-streams.ts';
import { makeClaims } from '../kernel/claims.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { judgedFirst } from '../kernel/judged-first.ts';
import {
  type Changed,
  type FieldProblem,
  type OutcomeWithProblems,
  problemsAmong,
} from '../kernel/outcome.ts';
import { makeRevokeTokensOfFormerAdministrator } from '../people/tokens/revoke-tokens-of-former-administrator.ts';
import { changeOrganization } from './change-organization.ts';

/** What is not given stays as it is. */
export type UpdateOrganization = {
  readonly organizationId: string;
  readonly name?: string;
  /** Null removes it. */
  readonly externalId?: string | null;
  /** Whether publishers of its add-ons see its name, or only count it. */
  readonly shown?: boolean;
  /** Whole lists of user ids. */
  readonly administrators?: readonly string[];
  readonly auditors?: readonly string[];
  readonly force?: boolean;
};

export type UpdateOrganizationRefusal = RemovalRefusal | 'external-id-taken' | 'members-invalid' | 'invalid';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'unfinished'>;
type Updated = OutcomeWithProblems<Changed, UpdateOrganizationRefusal>;

/** The external ids of organizations. A closed organization keeps its own. */
const makeOrganizationClaims = (dependencies: Dependencies) =>
  makeClaims(dependencies, {
    streamOf: organizationStream,
    decider: organizationDecider,
    exists: ({ status }) => status !== 'unknown',
    kinds: {
      externalId: {
        ...externalIdStreams(dependencies),
        recordedIn: (organization) =>
          organization.status === 'unknown'
            ? { present: [], earlier: [] }
            : {
                present: organization.externalId === null ? [] : [organization.externalId],
                earlier: organization.earlierExternalIds,
              },
        disown: (organization, externalId, now) => disownExternalId(organization, { externalId, now }),
      },
    },
  });

/**
 * Changes an organization by one append: all that is given, or nothing. The external id is claimed before it; earlier ones are free once
 * it has returned. Whoever is no administrator any more loses their tokens for the organization. What is so already changes nothing.
 */
export const makeUpdateOrganization = (dependencies: Dependencies) => {
  const claims = makeOrganizationClaims(dependencies);
  return judgedFirst('updateOrganization', makeUpdate, dependencies, async (given, context) => {
    const { organizationId, externalId } = normalised(given);
    if (isUlid(organizationId) && typeof externalId === 'string')
      await claims.settle(organizationId, { context, ...byOperator() }, { externalId: [externalId] });
  });
};

const makeUpdate = (dependencies: Dependencies) => {
  const { store } = dependencies;
  const claims = makeOrganizationClaims(dependencies);
  const revokeTokens = makeRevokeTokensOfFormerAdministrator(dependencies);
  const update = async (given: UpdateOrganization, context?: CommandContext): Promise<Updated> => {
    const { organizationId, ...wanted } = normalised(given);
    const { externalId, administrators = [], auditors = [] } = wanted;
    const problems = problemsOf(wanted);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    const before = await organizationNow(store, organizationId);
    if (before.status === 'unknown') return { ok: false, refusal: 'organization-unknown' };
    const strangers = [
      ...(await strangersIn(store, 'administrators', administrators, before.administrators)),
      ...(await strangersIn(store, 'auditors', auditors, before.auditors)),
    ];
    if (strangers.length > 0) return { ok: false, refusal: 'members-invalid', problems: strangers };
    const enabled = await enabledAmong(store, administrators);
    const append = () =>
      changeOrganization(dependencies, { ...wanted, organizationId, enabled }, decide, context);

    if (externalId === undefined) {
      const changed = await append();
      if (changed.ok) await endTokens(before.administrators, given, context);
      return changed;
    }
    const change = { context, ...byOperator() };
    const owner =
      externalId === null
        ? organizationId
        : await claims.take('externalId', externalId, organizationId, change);
    if (owner !== organizationId) return taken(owner);
    const claimed = { externalId: externalId === null ? [] : [externalId] };
    const { recorded, settled } = await claims.recording(organizationId, change, claimed, append);
    if (!recorded.ok) return recorded;
    if (externalId !== null && settled.status === 'created' && settled.externalId === null) {
      // Somebody else recorded it between the claim and the append: the rest does not stay either.
      await update({ ...asBefore(before, given), organizationId, force: true }, context);
      return taken(await claims.externalId.ownerOf(externalId));
    }
    await endTokens(before.administrators, given, context);
    return recorded;
  };

  const endTokens = async (
    before: readonly string[],
    { organizationId, administrators }: UpdateOrganization,
    context: CommandContext | undefined,
  ) => {
    if (administrators === undefined) return;
    for (const userId of before.filter((one) => !administrators.includes(one)))
      await revokeTokens({ userId, organizationIds: [organizationId], by: breakGlass }, context);
  };
  return update;
};

type KnownOrganization = Extract<Organization, { readonly status: 'created' }>;
type Wanted = Omit<UpdateOrganization, 'organizationId'>;

const normalised = ({ name, externalId, ...given }: UpdateOrganization): UpdateOrganization => ({
  ...given,
  ...(name !== undefined && { name: normaliseName(name) }),
  ...(externalId !== undefined && {
    externalId: externalId === null ? null : normaliseExternalId(externalId),
  }),
});

const problemsOf = ({ name, externalId = null }: Wanted): readonly FieldProblem[] =>
  problemsAmong([
    { field: 'name', message: name === undefined ? null : nameProblem(name) },
    { field: 'external_id', message: externalId === null ? null : externalIdProblem(externalId) },
  ]);

type Decide = Parameters<
  typeof changeOrganization<Wanted & { readonly enabled: ReadonlySet<string> }, RemovalRefusal>
>[2];

const decide: Decide = (
  organization,
  { name, externalId, shown, administrators = null, auditors = null, force = false, enabled, now },
) =>
  decideAll<Organization, OrganizationEvent, RemovalRefusal>(organizationDecider, organization, [
    name === undefined ? null : (one) => renameOrganization(one, { name, now }),
    externalId === undefined ? null : (one) => setExternalId(one, { externalId, now }),
    shown === undefined ? null : (one) => showToPublishers(one, { shown, now }),
    administrators === null && auditors === null
      ? null
      : (one) =>
          replaceMembers(one, {
            administrators,
            auditors,
            force,
            maySignIn: (userId) => enabled.has(userId),
            now,
          }),
  ]);

/** What was given, as it was. */
const asBefore = (
  { name, externalId, shownToPublishers: shown, administrators, auditors }: KnownOrganization,
  given: UpdateOrganization,
): Wanted =>
  Object.fromEntries(
    Object.entries({ name, externalId, shown, administrators, auditors }).filter(([key]) => key in given),
  );

type Store = Parameters<typeof accountNow>[0];

/** Who is to be added and cannot be. */
const strangersIn = async (
  store: Store,
  field: 'administrators' | 'auditors',
  wanted: readonly string[],
  present: readonly string[],
): Promise<readonly FieldProblem[]> => {
  const problems: FieldProblem[] = [];
  for (const [index, userId] of wanted.entries()) {
    if (present.includes(userId)) continue;
    const account = await accountNow(store, userId);
    const isGone = account.status === 'absent' || account.status === 'erased';
    const hasRole = field === 'administrators' || (!isGone && account.roles.includes('auditor'));
    if (isGone) problems.push({ field: `${field}[${index}]`, message: english.problems.noAccount });
    else if (!hasRole)
      problems.push({ field: `${field}[${index}]`, message: 'does not have the role auditor' });
  }
  return problems;
};

const enabledAmong = async (store: Store, userIds: readonly string[]): Promise<ReadonlySet<string>> => {
  const enabled = new Set<string>();
  for (const userId of userIds)
    if ((await accountNow(store, userId)).status === 'enabled') enabled.add(userId);
  return enabled;
};

const taken = (owner: string | null) =>
  ({
    ok: false,
    refusal: 'external-id-taken',
    problems: [
      {
        field: 'external_id',
        message: english.problems.ofOrganization(owner ?? 'that took it just now'),
      },
    ],
  }) as const;
