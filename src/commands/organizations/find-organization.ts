import { normaliseExternalId } from '../../domain/organizations/external-id.ts';
import { organizationDecider } from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { externalIdStreams } from '../kernel/claim-streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { load } from '../kernel/handle.ts';

/**
 * The id of the organization that has this external id at this moment, from the log; null where none has it. A claim
 * whose organization does not name the id is unfinished, and finds nothing. A closed organization is found, too.
 */
export const findOrganizationByExternalId = async (
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  externalId: string,
): Promise<string | null> => {
  const organizationId = await externalIdStreams({ store, now }).ownerOf(externalId);
  if (organizationId === null) return null;
  const { state } = await load(store, organizationStream(organizationId), organizationDecider);
  const has = state.status === 'created' && state.externalId === normaliseExternalId(externalId);
  return has ? organizationId : null;
};
