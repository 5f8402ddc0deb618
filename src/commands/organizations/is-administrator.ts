import { administers, administersBy, isOpen } from '../../domain/organizations/organization.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { organizationNow } from '../../eventstore/state-of.ts';

/** Whether the user administers the organization, from its stream (AC-04). `byClaim` false: not by a provider's claim. */
export const makeIsAdministrator =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, userId: string, byClaim = true): Promise<boolean> => {
    const state = await organizationNow(store, organizationId);
    return byClaim ? administers(state, userId) : administersBy(state, 'manual', userId);
  };

/** Whether the user may approve access to the organization's records: as its administrator, while it is not closed. */
export const makeMayApproveFor =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (organizationId: string, userId: string): Promise<boolean> => {
    const state = await organizationNow(store, organizationId);
    return administers(state, userId) && isOpen(state);
  };
