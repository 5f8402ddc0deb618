import type { Instant } from '../../domain/kernel/decision.ts';
import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';

/** `organizationId`: null for a user's own records. */
export type GrantOfAddon = {
  readonly grantId: string;
  readonly organizationId: string | null;
  readonly expiresAt: Instant;
};

/** The grants of an add-on, from the read models. */
export type AddonGrants = {
  /** Resolves once the rest covers every code and activation that was in the log when this was called. */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Grants that have not ended and hold another scope than these. */
  outside(addonId: string, scopes: readonly Scope[]): AsyncIterable<readonly GrantOfAddon[]>;
  /** Grants of users' own records that have not ended. */
  own(addonId: string): AsyncIterable<readonly GrantOfAddon[]>;
  /** Every organization that ever activated the add-on. */
  activatedFor(addonId: string): AsyncIterable<readonly string[]>;
  /** How many grants ended for this reason that had not expired, by organization. */
  countEnded(addonId: string, reason: GrantRevocationReason): Promise<readonly EndedGrants[]>;
};

export type EndedGrants = { readonly organizationId: string | null; readonly grants: number };
