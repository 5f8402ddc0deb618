import type { Instant } from './decision.ts';
import type { Scope } from './scope.ts';

/**
 * What a user approved for an add-on, per subject (AC-05). `epoch` is the activation's for an organization and
 * null for a user's own data: an approval of an older epoch counts for nothing (S5).
 */
export type ConsentEvent =
  | {
      readonly type: 'ScopesApproved';
      readonly data: {
        readonly userId: string;
        readonly addonId: string;
        readonly scopes: readonly Scope[];
        readonly epoch: number | null;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'ConsentWithdrawn';
      readonly data: { readonly userId: string; readonly addonId: string; readonly at: Instant };
    };
