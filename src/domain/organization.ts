import type { Instant } from './decision.ts';

export type OrganizationEvent =
  | {
      readonly type: 'OrganizationCreated';
      readonly data: { readonly organizationId: string; readonly name: string; readonly at: Instant };
    }
  | { readonly type: 'AdministratorAdded'; readonly data: { readonly userId: string; readonly at: Instant } }
  | {
      readonly type: 'AdministratorRemoved';
      readonly data: { readonly userId: string; readonly at: Instant };
    };
