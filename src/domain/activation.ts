import type { Instant } from './decision.ts';

/**
 * An add-on's activation for one organization. `epoch` counts activations from 1: everything granted under
 * an epoch dies with it (DE-05). `by` is the acting user's id, or `operator` for the CLI.
 */
export type ActivationEvent =
  | {
      readonly type: 'AddonActivated';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly epoch: number;
        readonly by: string;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'AddonDeactivated';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly epoch: number;
        readonly by: string;
        readonly at: Instant;
      };
    }
  | {
      /** Appended by the reaction once every live grant of the epoch has its GrantRevoked (DE-04). */
      readonly type: 'RevocationCompleted';
      readonly data: { readonly epoch: number; readonly grants: number; readonly at: Instant };
    };
