import type { AccessRight } from '../domain/access-right.ts';
import type { FenceRefusal, Guarded } from '../domain/fence.ts';
import type { Profile } from '../domain/profile.ts';
import type { Reservation } from '../domain/reservation.ts';
import type { Scope } from '../domain/scope.ts';
import type { Position } from '../eventstore/event-store.ts';

/** The read side as http and cli see it. Built from events; may be thrown away and rebuilt. */
export type ReadModels = {
  readonly accessRights: ListReader<AccessRight>;
  readonly profiles: ListReader<Profile>;
  readonly reservations: ListReader<Reservation>;

  organizationsAdministeredBy(
    userId: string,
  ): Promise<readonly { readonly organizationId: string; readonly name: string }[]>;
  organization(
    organizationId: string,
  ): Promise<{ readonly organizationId: string; readonly name: string } | null>;
  /** Grants of the activation that have not ended, with the epoch that the read models know it at; null before the first. */
  countLiveGrants(
    organizationId: string,
    addonId: string,
  ): Promise<{ readonly epoch: number; readonly grants: number } | null>;
  /** Every add-on, with its activation for this organization, ordered by name. */
  addonsOf(organizationId: string): Promise<readonly OrganizationAddon[]>;
  /** Add-ons that may see the user's own data, ordered by name. */
  addonsAllowedBy(userId: string): Promise<readonly AllowedAddon[]>;
  addons(): Promise<readonly RegisteredAddon[]>;
  /** Grants of an activation's epoch that have not ended, for receipts and confirmations. */
  liveGrants(
    organizationId: string,
    addonId: string,
    epoch: number,
  ): Promise<readonly { readonly grantId: string; readonly userId: string }[]>;

  /** The judgement about a token where nothing else is read: what its fence says now. */
  judge(guarded: Guarded): Promise<FenceRefusal | null>;

  /** Whom an access token speaks for, with the judgement about it, from one snapshot; `user` null when not projected yet. */
  userInfo(
    guarded: Guarded,
  ): Promise<
    | { readonly refused: FenceRefusal }
    | { readonly refused: null; readonly user: { readonly name: string; readonly email: string } | null }
  >;

  /** Position up to which the read models hold everything; null before the first event. */
  checkpoint(): Promise<Position | null>;
  /** Resolves true once the read models hold everything up to `position`, false after `timeoutMs`. Woken by LISTEN/NOTIFY. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
};

/** `organization` sees the organization's records, `user` those of the user's own profiles (LI-09). */
export type ListReader<T> = {
  /**
   * One page and the judgement about its token, from one snapshot (RS-02). `page` and `perPage` are ≥ 1 and checked by
   * the caller; past the last page `items` is empty.
   */
  page(request: {
    readonly guarded: Guarded;
    readonly page: number;
    readonly perPage: number;
  }): Promise<
    | { readonly refused: FenceRefusal }
    | { readonly refused: null; readonly items: readonly ListItem<T>[]; readonly totalItems: number }
  >;
};

export type ListItem<T> = T & {
  readonly id: string;
  readonly version: number;
  /** RFC 3339 UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type RegisteredAddon = {
  readonly addonId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly configurationUrl: string | null;
  readonly allowedScopes: readonly string[];
  readonly confidential: boolean;
  readonly suspended: boolean;
};

export type AllowedAddon = {
  readonly addonId: string;
  readonly name: string;
  readonly suspended: boolean;
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC: since when it may see all of them. */
  readonly allowedAt: string;
  /** When it last got an access token; null when it never came for one. */
  readonly renewedAt: string | null;
};

export type OrganizationAddon = {
  readonly addonId: string;
  readonly name: string;
  readonly configurationUrl: string | null;
  readonly suspended: boolean;
  readonly status: 'never-activated' | 'active' | 'deactivated';
  readonly epoch: number;
  readonly activatedBy: string | null;
  /** RFC 3339 UTC. */
  readonly activatedAt: string | null;
  readonly liveGrants: number;
};
