import { createHash } from 'node:crypto';
import { externalIdDecider, normaliseExternalId } from '../domain/external-id.ts';
import { organizationDecider } from '../domain/organization.ts';
import { externalIdStream, organizationStream } from '../domain/streams.ts';
import type { CommandDependencies } from './dependencies.ts';
import { load } from './handle.ts';

type Dependencies = Pick<CommandDependencies, 'store'>;

/** The stream with the claim on an external id, named by a digest: names of streams are short ASCII. */
export const streamOfExternalId = (externalId: string) =>
  externalIdStream(createHash('sha256').update(normaliseExternalId(externalId)).digest('hex'));

/**
 * The id of the organization that has this external id at this moment, from the log; null where none has it. A claim
 * whose organization does not name the id is unfinished, and finds nothing. A closed organization is found, too.
 */
export const findOrganizationByExternalId = async (
  { store }: Dependencies,
  externalId: string,
): Promise<string | null> => {
  const {
    state: { organizationId },
  } = await load(store, streamOfExternalId(externalId), externalIdDecider);
  if (organizationId === null) return null;
  const { state } = await load(store, organizationStream(organizationId), organizationDecider);
  const has = state.status === 'created' && state.externalId === normaliseExternalId(externalId);
  return has ? organizationId : null;
};
