import type { FenceRefusal, Guarded } from '../domain/fence.ts';
import type { RecordOf } from '../domain/record-resource.ts';
import type { RecordResource } from '../domain/record-resources.ts';
import type { KnownRecord } from '../domain/record.ts';
import type { Scope } from '../domain/scope.ts';
import type { Position } from '../eventstore/event-store.ts';

/** A reader for the list of each kind of records. */
export type ListReaders = {
  readonly [R in RecordResource as R['key']]: ListReader<RecordOf<R>>;
};

/** The read side as http and cli see it. Built from events; may be thrown away and rebuilt. */
export type ReadModels = ListReaders & {
  organizationsAdministeredBy(
    userId: string,
  ): Promise<readonly { readonly organizationId: string; readonly name: string }[]>;
  /** Those whose history was given to the user, by name. */
  organizationsAuditedBy(
    userId: string,
  ): Promise<readonly { readonly organizationId: string; readonly name: string }[]>;
  organization(
    organizationId: string,
  ): Promise<{ readonly organizationId: string; readonly name: string } | null>;
  /**
   * Begins to count what a deactivation is about to end, for its receipt (DE-06): called beside the deactivation, never
   * in its way. As far as the read models know; RevocationCompleted tells the exact number later.
   * @returns asks for the count of an epoch: null when it is not known in time, the read models are away, or they speak of
   *   another epoch
   */
  beginCount(
    organizationId: string,
    addonId: string,
  ): (epoch: number, withinMs: number) => Promise<LiveGrants | null>;
  /** Every add-on, with its activation for this organization, ordered by name. */
  addonsOf(organizationId: string): Promise<readonly OrganizationAddon[]>;
  /** What an add-on holds in one epoch of its activation; null when the read models have not heard of that epoch. */
  connections(organizationId: string, addonId: string, epoch: number): Promise<Connections | null>;
  /** Who approved it in that epoch, who it was that last led to a token first; at most 100 people. */
  approvals(organizationId: string, addonId: string, epoch: number): Promise<readonly Approval[]>;
  /** Names of those users whose account is known. */
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Profiles that carry the user's id; at most 1,000. */
  profilesOfUser(
    userId: string,
  ): Promise<readonly { readonly organizationId: string; readonly id: string }[]>;
  /** Add-ons that may see the user's own data, ordered by name. */
  addonsAllowedBy(userId: string): Promise<readonly AllowedAddon[]>;
  addons(): Promise<readonly RegisteredAddon[]>;

  /** Grants in the order in which they were issued, behind `after`. */
  grants(
    filter: GrantFilter,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly GrantRow[]>;

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
  waitFor(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
};

/** All that are there must hold. */
export type GrantFilter = {
  /** A user's are those that the user allowed, for organizations too. */
  readonly about?: { readonly kind: 'organization' | 'user' | 'addon' | 'grant'; readonly id: string };
  /** Whether an event of its own has ended it. */
  readonly ended?: boolean;
  /** Those that were issued before `since` and not used after it, as far as reads counted from `countedSince` on say; milliseconds since the Unix epoch. */
  readonly unused?: { readonly since: number; readonly countedSince: number };
};

export type GrantRow = {
  readonly grantId: string;
  readonly addonId: string;
  readonly userId: string;
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  readonly hasEnded: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly issuedAt: number;
  /** When its newest tokens were issued; null before the first. */
  readonly lastTokenAt: number | null;
  /** When a list was read with it last, as far as the instances have stored their counts. */
  readonly lastReadAt: number | null;
};

/**
 * `organization` sees the organization's records, in the order in which they entered its list. `user` sees those of the user's
 * own profiles (LI-09), organization after organization in the order of their ids, each in the order in which they entered
 * the user's list there; not those of organizations that deactivated the add-on.
 */
export type ListReader<T> = {
  /** One page and the judgement about its token, from one snapshot (RS-02). */
  page(
    request: ListRequest,
  ): Promise<{ readonly refused: FenceRefusal } | ({ readonly refused: null } & ListAnswer<T>)>;
};

export type ListRequest = {
  readonly guarded: Guarded;
  /** 1 to 100. */
  readonly perPage: number;
  readonly place: ListPlace;
  /** Versions whose holder needs no page: when the list's is one of them, one row is read and no more. */
  readonly unless?: readonly string[];
};

export type ListPlace =
  /** By position, as the list is now; `page` from 1. */
  | { readonly by: 'page'; readonly page: number }
  /** The records behind `position`, as far as they had entered by `bound`. */
  | { readonly by: 'after'; readonly position: ListPosition; readonly bound: bigint }
  /** The records just ahead of `position`. */
  | { readonly by: 'before'; readonly position: ListPosition; readonly bound: bigint };

/** Where a record stands, whether or not it is still there. Grows along the list, by organization first. */
export type ListPosition = { readonly organizationId: string; readonly ordinal: number };

export type ListAnswer<T> = {
  /**
   * Another for every state of every list, the same after a rebuild. Shown to clients as it is (ETag): a digest, from which no
   * log position can be read, of 1 to 64 characters of base64url.
   */
  readonly version: string;
  /** Whether changes of it wait behind an event that could not be applied. */
  readonly stale: boolean;
} & (
  | { readonly unchanged: true }
  | {
      readonly unchanged: false;
      readonly items: readonly ListItem<T>[];
      /** All that the list holds now, whatever the bound. */
      readonly totalItems: number;
      /** Of the first and the last item; null without items. */
      readonly first: ListPosition | null;
      readonly last: ListPosition | null;
      /** Whether there is a record ahead of the first item. */
      readonly hasBefore: boolean;
      /** Whether there is one behind the last item that had entered by the bound. */
      readonly hasAfter: boolean;
      /** Log position up to which the walk goes: the request's, or the newest change of the list. */
      readonly bound: bigint;
    }
);

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
  /** When it exchanged a code for the first time; null: never. */
  readonly firstTokenAt: string | null;
  /** When it last refreshed its tokens; null: never. */
  readonly renewedAt: string | null;
};

/**
 * What an add-on holds in one epoch of an activation. The same on every page, in every answer, and in the receipt; a
 * deactivation ends both, so RevocationCompleted names their sum.
 */
export type LiveGrants = {
  /** Grants whose code was exchanged and that nothing has ended: connections. One whose tokens have expired is still one. */
  readonly liveGrants: number;
  /** Codes that were given out and not exchanged, also those that have expired since. */
  readonly unredeemedCodes: number;
  /** People who approved the live grants. */
  readonly approvers: number;
};

export type Connections = LiveGrants & {
  /** What the live grants cover together. */
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC: when it was given a token last, in this epoch. */
  readonly lastTokenAt: string | null;
};

/** What one person approved for an organization, and what has become of it. */
export type Approval = Omit<LiveGrants, 'approvers'> & {
  readonly userId: string;
  /** Null where the account is not known. */
  readonly name: string | null;
  /** All that was approved, also by grants that have ended. */
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC. */
  readonly lastTokenAt: string | null;
};

export type OrganizationAddon = Connections & {
  readonly addonId: string;
  readonly name: string;
  readonly configurationUrl: string | null;
  /** What it may ask for. */
  readonly allowedScopes: readonly Scope[];
  readonly suspended: boolean;
  readonly status: 'never-activated' | 'active' | 'deactivated';
  readonly epoch: number;
  /** Who activated the present or last epoch: a user's id or `operator`; and the user's name, where the account is known. */
  readonly activatedBy: string | null;
  readonly activatedByName: string | null;
  /** RFC 3339 UTC. */
  readonly activatedAt: string | null;
  readonly deactivatedBy: string | null;
  readonly deactivatedByName: string | null;
  readonly deactivatedAt: string | null;
  /** How many GrantRevoked the deactivation came to; null before RevocationCompleted. */
  readonly revokedGrants: number | null;
};

/** Single records as the lists hold them, for the commands that write them; see `commands/record.ts`. */
export type KnownRecords = {
  readonly [R in RecordResource as R['key']]: FindKnown<RecordOf<R>>;
};

/** Null where the list holds none: not yet, or not any more. @throws when the read models cannot be reached */
export type FindKnown<T> = (organizationId: string, id: string) => Promise<KnownRecord<T> | null>;
