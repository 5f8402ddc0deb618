import { isUlid } from '../domain/ids.ts';
import { organizationDecider } from '../domain/organization.ts';
import { organizationStream } from '../domain/streams.ts';
import { findOrganizationByExternalId } from './find-organization.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

/** The organization that a claim names, by its `organization_id` or its `external_id`; null when there is none. */
export const organizationInClaim = async (
  dependencies: Pick<CommandDependencies, 'store' | 'now'>,
  name: string,
): Promise<string | null> => {
  if (isUlid(name)) {
    const { state } = await load(dependencies.store, organizationStream(name), organizationDecider);
    if (state.status === 'created') return name;
  }
  return findOrganizationByExternalId(dependencies, name);
};
