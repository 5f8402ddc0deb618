import { isUlid } from '../../domain/kernel/ids.ts';
import {
  administers,
  administersBy,
  isOpen,
  organizationDecider,
} from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';

/** Whether the user administers the organization, from its stream (AC-04). `byClaim` false: not by a provider's claim. */
export const makeIsAdministrator =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, userId: string, byClaim = true): Promise<boolean> => {
    if (!isUlid(organizationId)) return false;
    const { state } = await load(store, organizationStream(organizationId), organizationDecider);
    return byClaim ? administers(state, userId) : administersBy(state, 'manual', userId);
  };

/** Whether the user may approve access to the organization's records: as its administrator, while it is not closed. */
export const makeMayApproveFor =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, userId: string): Promise<boolean> => {
    if (!isUlid(organizationId)) return false;
    const { state } = await load(store, organizationStream(organizationId), organizationDecider);
    return administers(state, userId) && isOpen(state);
  };
