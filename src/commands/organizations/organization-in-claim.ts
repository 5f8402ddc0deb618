import { normaliseExternalId } from '../../domain/organizations/external-id.ts';
import { type Organization } from '../../domain/organizations/organization.ts';
import { externalIdStreams } from '../kernel/claim-streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { mapInBatches } from '../kernel/map-in-batches.ts';
import type { AccountDependencies } from '../people/dependencies.ts';
import { organizationNow } from '../../eventstore/state-of.ts';

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'namesOfOrganizations'>;

/** The organizations that a claim names: those of its names that read models know, or the last sign-in (`mapped`), decided on the log. */
export const organizationsInClaim = async (
  dependencies: Dependencies,
  names: ReadonlySet<string>,
  mapped: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (names.size === 0) return new Set();
  const candidates = await dependencies.namesOfOrganizations([...names]);
  const found = await mapInBatches([...candidates], (name) => organizationInClaim(dependencies, name));
  const known = new Set(found.filter((id) => id !== null));
  const others = mapped.filter((id) => !known.has(id));
  const isNamed = await mapInBatches(others, async (id) => {
    const state = await organizationNow(dependencies.store, id);
    return namesIn(state).some((name) => names.has(name));
  });
  return new Set([...known, ...others.filter((_, index) => isNamed[index])]);
};

const namesIn = (organization: Organization): readonly string[] =>
  organization.status === 'unknown'
    ? []
    : [organization.organizationId, ...(organization.externalId === null ? [] : [organization.externalId])];

/** The organization that a claim names, by its `organization_id` or its `external_id`; null when there is none. */
const organizationInClaim = async (
  dependencies: Pick<CommandDependencies, 'store' | 'now'>,
  name: string,
): Promise<string | null> => {
  return (await organizationNow(dependencies.store, name)).status === 'created'
    ? name
    : findOrganizationByExternalId(dependencies, name);
};

/** The id of the organization, closed or not, with this external id now, from the log; null for none and for an unfinished claim. */
export const findOrganizationByExternalId = async (
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  externalId: string,
): Promise<string | null> => {
  const organizationId = await externalIdStreams({ store, now }).ownerOf(externalId);
  if (organizationId === null) return null;
  const state = await organizationNow(store, organizationId);
  const has = state.status === 'created' && state.externalId === normaliseExternalId(externalId);
  return has ? organizationId : null;
};
