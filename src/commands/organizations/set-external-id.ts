import { externalIdProblem, normaliseExternalId } from '../../domain/organizations/external-id.ts';
import {
  disownExternalId,
  organizationDecider,
  setExternalId,
} from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { changeOrganization, type OrganizationChanged } from './change-organization.ts';
import { externalIdStreams } from '../kernel/claim-streams.ts';
import { makeClaims } from '../kernel/claims.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { organizationNow } from '../../eventstore/state-of.ts';

/** Null removes it. */
export type SetExternalId = { readonly organizationId: string; readonly externalId: string | null };

/** The external ids of organizations. A closed organization keeps its own. */
const makeOrganizationClaims = (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
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

/** Gives an organization the host platform's id for it; earlier ones are free once it has returned. The same id changes nothing. */
export const makeSetExternalId = (dependencies: Pick<CommandDependencies, 'store' | 'now'>) => {
  const claims = makeOrganizationClaims(dependencies);
  return async (
    { organizationId, ...request }: SetExternalId,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<OrganizationChanged, 'organization-unknown' | 'external-id-taken' | 'invalid'>
  > => {
    const change = { context, ...byOperator() };
    if (request.externalId === null) {
      const removed = await changeOrganization(
        dependencies,
        { organizationId, externalId: null },
        setExternalId,
        context,
      );
      if (removed.ok) await claims.settle(organizationId, change);
      return removed;
    }
    const externalId = normaliseExternalId(request.externalId);
    const message = externalIdProblem(externalId);
    if (message !== null) return invalid('invalid', message);
    const state = await organizationNow(dependencies.store, organizationId);
    if (state.status === 'unknown') return unknown;
    const owner = await claims.take('externalId', externalId, organizationId, change);
    if (owner !== organizationId) return taken(owner);
    const changed = await changeOrganization(
      dependencies,
      { organizationId, externalId },
      setExternalId,
      context,
    );
    const settled = await claims.settle(organizationId, change, { externalId: [externalId] });
    const isLost = settled.status === 'created' && settled.externalId === null;
    return changed.ok && isLost ? taken(await claims.externalId.ownerOf(externalId)) : changed;
  };
};

const unknown = { ok: false, refusal: 'organization-unknown' } as const;

const invalid = <R extends string>(refusal: R, message: string) =>
  ({ ok: false, refusal, problems: [{ field: 'external_id', message }] }) as const;

const taken = (owner: string | null) =>
  invalid('external-id-taken', `belongs to the organization ${owner ?? 'that took it just now'}`);
