import { normaliseExternalId } from '../../domain/organizations/external-id.ts';
import type { OrganizationSelector } from '../../domain/organizations/organization-selector.ts';
import { administers, isOpen } from '../../domain/organizations/organization.ts';
import { externalIdStreams } from '../kernel/claim-streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { organizationStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';

/** An organization as it stands to a user. `unknown` has an id of the right form, that of no organization. */
export type NamedOrganization = {
  readonly organizationId: string;
  readonly standing: 'unknown' | 'not-administered' | 'closed' | 'administered';
  readonly name: string;
};

/** Of no organization: ids begin with the time. */
const nobody = '0'.repeat(26);

/** The organization that the host platform knows by this id; null for none. */
export const makeOrganizationOf =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (given: string): Promise<string | null> => {
    const externalId = normaliseExternalId(given);
    const organizationId = await externalIdStreams({ store, now }).ownerOf(externalId);
    if (organizationId === null) return null;
    const state = await organizationNow(store, organizationId);
    return state.status === 'created' && state.externalId === externalId ? organizationId : null;
  };

/** The organization that an add-on names, and how the user stands to it, from the log: the same reads whatever the answer is. */
export const makeFindNamedOrganization =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (selector: OrganizationSelector, userId: string): Promise<NamedOrganization> => {
    const organizationId =
      'organizationId' in selector
        ? selector.organizationId
        : ((await externalIdStreams({ store, now }).ownerOf(selector.externalId)) ?? nobody);
    const state = await organizationNow(store, organizationId);
    // A claim that is not finished is not yet the organization's.
    if (state.status === 'unknown' || ('externalId' in selector && state.externalId !== selector.externalId))
      return { organizationId: nobody, standing: 'unknown', name: '' };
    const { name } = state;
    if (!administers(state, userId)) return { organizationId, standing: 'not-administered', name };
    return { organizationId, standing: isOpen(state) ? 'administered' : 'closed', name };
  };

/** Reads the log: right after its creation an organization is in no read model yet. */
export const organizationExists = async (
  store: Pick<EventStore, 'read'>,
  organizationId: string,
): Promise<boolean> => (await store.read(organizationStream(organizationId))).revision !== 'no-stream';
