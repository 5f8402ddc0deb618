import type { Refusal } from './usage-counts/collect-refusals.ts';
import type { NameOf } from '../domain/event-subjects.ts';
import type { FenceRefusal, Guarded } from '../domain/fence/fence.ts';
import type { RecordOf } from '../domain/records/record-resource.ts';
import type { RecordResource } from '../domain/records/record-resources.ts';
import type { KnownRecord } from '../domain/records/record.ts';
import type { GrantState } from '../domain/access/grant.ts';
import type { AllowedScope, Scope } from '../domain/access/scope.ts';
import type { Position } from '../eventstore/event-store.ts';

export type ListReaders = {
  readonly [R in RecordResource as R['key']]: ListReader<RecordOf<R>>;
};

export type UserOfGrant = {
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** When the name or address changed last. */
  readonly updatedAt: number;
};

export type OrganizationNames = {
  readonly name: string;
  /** The id by which the host platform knows it; null without one. */
  readonly externalId: string | null;
};

/** Null where it is not projected yet, and the organization also for a user's own grant. */
export type NamesOfGrant = {
  readonly user: UserOfGrant | null;
  readonly organization: OrganizationNames | null;
};

type IdPage = { readonly after: string | null; readonly limit: number };

export type PageAsked = IdPage & {
  /** What it is sorted by, with `-` in front from the end; by default by id, which is the order in which things were made. */
  readonly sort?: string | undefined;
  /** Also counts how many match, to this number. */
  readonly countTo?: number;
};

/** `isMore`: counting stopped there. */
export type Total = { readonly count: number; readonly isMore: boolean };

export type PageOf<Row> = {
  readonly rows: readonly Row[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
  /** Where it was asked for. */
  readonly total?: Total;
};

/** Sorted by `name`, too. */
export type IdsPage = PageOf<{ readonly id: string }>;

/** Publishers as far as the read models know: which of it holds, the log says. All in the order of the ids, after `after`. */
export type PublisherReaders = {
  /** `search`: a whole id, or starts of words of the name; null: all. */
  publisherIds(search: string | null, page: PageAsked): Promise<IdsPage>;
  /** The publishers that the user may be a member of. */
  publishersOf(userId: string): Promise<readonly string[]>;
  /** At most 1,000. */
  addonsOfPublisher(publisherId: string): Promise<readonly string[]>;
  addonsOfPublishers(publisherIds: readonly string[], page: IdPage): Promise<readonly string[]>;
  /** The organizations that have the add-on active, without those that hide their names from publishers. */
  activeOrganizations(
    addonId: string,
    page: IdPage,
  ): Promise<readonly (NamedOrganization & { /** RFC 3339 UTC. */ readonly activatedAt: string })[]>;
  /** All of them. */
  countActiveOrganizations(addonId: string): Promise<{ readonly shown: number; readonly hidden: number }>;
};

/** An add-on that is active for an organization. */
export type ActiveAddon = Pick<
  OrganizationAddon,
  'addonId' | 'name' | 'publisher' | 'configurationUrl' | 'suspended' | 'retired' | 'liveGrants'
> & {
  readonly organizationId: string;
  /** Whose members look after it; null: nobody's. */
  readonly publisherId: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly activatedAt: number;
  readonly unusedGrants: number;
};

/** The events by which those who offer an add-on change it. */
export type PartnerChange = {
  readonly addonId: string;
  readonly type:
    | 'AddonChangeApproved'
    | 'AddonSecretAdded'
    | 'AddonSecretRemoved'
    | 'SignalStreamCreated'
    | 'SignalStreamChanged';
  /** The last one; milliseconds since the Unix epoch. */
  readonly at: number;
};

export type NameInUse = {
  readonly kind: 'addon' | 'publisher';
  readonly id: string;
  readonly name: string;
  /** Since when an add-on has it, and there is such a publisher: milliseconds since the Unix epoch. */
  readonly since: number;
};

/** What administrators should look at. */
export type AttentionReaders = {
  activeAddons(
    organizationIds: readonly string[],
    unused: NonNullable<GrantFilter['unused']>,
  ): Promise<readonly ActiveAddon[]>;
  /** The newest of each kind and add-on, after `since`. */
  partnerChanges(addonIds: readonly string[], since: number): Promise<readonly PartnerChange[]>;
  /** Of all publishers and add-ons, without retired ones. */
  namesInUse(): Promise<readonly NameInUse[]>;
};

/** The read side as http and cli see it. Built from events; may be deleted and rebuilt. */
export type ReadModels = ListReaders &
  PublisherReaders &
  AttentionReaders & {
    organizationsAdministeredBy(userId: string): Promise<readonly NamedOrganization[]>;
    /** The organizations whose audit log the user may read, by name. */
    organizationsAuditedBy(userId: string): Promise<readonly NamedOrganization[]>;
    organization(
      organizationId: string,
    ): Promise<(OrganizationNames & { readonly organizationId: string; readonly isClosed: boolean }) | null>;
    /** Sorted by `name`, too. `search`: a whole id or external id, or starts of words of the name; null: all. */
    organizations(search: string | null, page: PageAsked): Promise<PageOf<OrganizationRow>>;
    /**
     * Counts what a deactivation is about to end, in parallel with it, for its receipt (DE-06), as read models know.
     * @returns gets an epoch's count: null when not known in time, or of another epoch
     */
    beginCount(
      organizationId: string,
      addonId: string,
    ): (epoch: number, withinMs: number) => Promise<LiveGrants | null>;
    /** The add-ons that were ever activated for the organization, by id. */
    addonsActivatedFor(organizationId: string): Promise<readonly string[]>;
    /** All add-ons, with their activation for this organization, by name. */
    addonsOf(organizationId: string): Promise<readonly OrganizationAddon[]>;
    /** What an add-on has in one epoch of its activation; null when the read models do not know that epoch. */
    connections(organizationId: string, addonId: string, epoch: number): Promise<Connections | null>;
    /** The users who approved it in that epoch, ordered by the newest token; at most 100 people. */
    approvals(organizationId: string, addonId: string, epoch: number): Promise<readonly Approval[]>;
    namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
    /** Names of organizations, add-ons and users, whatever they are, in one query; unknown ones are left out. */
    names(of: readonly NameOf[]): Promise<ReadonlyMap<string, string>>;
    /** Ids of things with exactly this name, in order. */
    named(
      kind: 'organization' | 'addon' | 'user' | 'publisher',
      name: string,
      limit: number,
      after?: string,
    ): Promise<readonly string[]>;
    /** The first by name of each of these kinds: those that can still be chosen, or all. Addresses are verified ones. */
    choices(
      kinds: readonly ('organization' | 'addon' | 'user' | 'publisher')[],
      onlyOpen: boolean,
      limit: number,
    ): Promise<
      readonly {
        readonly kind: string;
        readonly id: string;
        readonly name: string;
        readonly email: string | null;
      }[]
    >;
    /** Profiles with the user's id; at most 1,000. */
    profilesOfUser(
      userId: string,
    ): Promise<readonly { readonly organizationId: string; readonly id: string }[]>;
    /** Add-ons that the user may have approved for own data: what holds, the log says (`ownApprovals`). */
    addonsApprovedBy(userId: string): Promise<readonly ApprovedAddon[]>;
    addons(): Promise<readonly RegisteredAddon[]>;

    /** Grants in the order of their issue, after an id; `isBack`: the newest first, before it. */
    grants(filter: GrantFilter, page: IdPage & { readonly isBack?: boolean }): Promise<readonly GrantRow[]>;
    /** How many there are, counted to `most`. */
    countGrants(filter: GrantFilter, most: number): Promise<Total>;

    addonIds(filter: AddonFilter, page: PageAsked): Promise<IdsPage>;
    /** Why requests of the add-on, or of somebody who claims to be it, were refused: the newest first. */
    refusals(addonId: string, page: IdPage): Promise<readonly Refusal[]>;
    /** User ids of accounts, sorted by `email`, too. */
    users(filter: UserFilter, page: PageAsked): Promise<IdsPage>;
    /** The organizations that a user may administer: the log says whether the user does. */
    administratorOf(userId: string): Promise<readonly string[]>;

    /** The current judgement of the fence about a token, where nothing else is read. */
    judge(guarded: Guarded): Promise<FenceRefusal | null>;

    /** The user and the organization of an access token, with the judgement about it, from one snapshot. */
    namesOfGrant(
      guarded: Guarded,
    ): Promise<{ readonly refused: FenceRefusal } | ({ readonly refused: null } & NamesOfGrant)>;

    /** Position up to which the read models have applied everything; null before the first event. */
    checkpoint(): Promise<Position | null>;
    /** True once the read models have applied everything up to `position`, false after `timeoutMs`. */
    waitFor(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  };

export type NamedOrganization = { readonly organizationId: string; readonly name: string };

export type OrganizationRow = NamedOrganization & {
  readonly externalId: string | null;
  readonly isClosed: boolean;
  /** Publishers of its add-ons do not see its name. */
  readonly isHidden: boolean;
  /** User ids, in the order in which they were appointed. */
  readonly administrators: readonly string[];
  /** Who may read its audit log. */
  readonly auditors: readonly string[];
};

/** All conditions apply. */
export type AddonFilter = {
  /** The whole id, or starts of words of the name; null: all. */
  readonly search: string | null;
  readonly publisherId: string | null;
  /** Whether a change waits for an operator. */
  readonly withChanges: boolean;
};

/** All conditions apply. */
export type UserFilter = {
  /** Starts of words of the name or of a verified e-mail address, or the whole id. */
  readonly search?: string | undefined;
  /** Users who administer the organization, or may read its audit log. */
  readonly organizationId?: string | undefined;
  readonly role?: 'administrator' | 'auditor' | 'operator' | 'publisher' | undefined;
};

export type GrantFilter = {
  /** For a user: the grants that the user approved, also for organizations. */
  readonly about?: { readonly kind: 'organization' | 'user' | 'addon' | 'grant'; readonly id: string };
  /** Only grants of this add-on. */
  readonly addonId?: string | undefined;
  /** Only grants that this user approved. */
  readonly userId?: string | undefined;
  /** As the read models know; a code that was not exchanged yet is in none of them. */
  readonly state?: GrantState;
  /** Issued before `since` and unused after, by reads counted since `countedSince`; milliseconds since the Unix epoch. */
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
  /** When a list was last read with it, as far as the instances have stored their counts. */
  readonly lastReadAt: number | null;
};

/**
 * `organization`: its records in the order of its list. `user`: the own profiles' (LI-09), by organization, then list order; without
 * organizations that deactivated the add-on.
 */
export type ListReader<T> = {
  /** One page and the judgement about its token, from one snapshot (RS-02). */
  page(
    request: ListRequest,
  ): Promise<{ readonly refused: FenceRefusal } | ({ readonly refused: null } & ListAnswer<T>)>;
  /** The same of what changed since a walk began (AP-05). */
  changes(
    request: ChangesRequest,
  ): Promise<{ readonly refused: FenceRefusal } | ({ readonly refused: null } & ChangesAnswer<T>)>;
};

/** A place among the changes of a list: in the order of the log, then as in the list. */
export type ChangePlace = ListPosition & { readonly position: bigint };

/** From where changes are asked for. */
export type ChangesOrigin = {
  readonly place: ChangePlace;
  /** Of the walk: changes are only known if it is the same still. */
  readonly state: bigint;
  /** When the token was issued, milliseconds since the Unix epoch. */
  readonly issuedAt: number;
};

export type ChangesRequest = {
  readonly guarded: Guarded;
  /** 1 to 100. */
  readonly perPage: number;
  readonly origin: ChangesOrigin;
  readonly place:
    | { readonly by: 'page'; readonly page: number }
    /** `total`: the number of changes since the origin, as the first page counted it. */
    | { readonly by: 'after' | 'before'; readonly position: ChangePlace; readonly total: number };
};

export type ChangesAnswer<T> = { readonly stale: boolean } & (
  | { readonly isKnown: false }
  | {
      readonly isKnown: true;
      /** The oldest change first, each record once. */
      readonly items: readonly (ListItem<T> | RemovedItem)[];
      readonly totalItems: number;
      readonly first: ChangePlace | null;
      readonly last: ChangePlace | null;
      readonly hasBefore: boolean;
      readonly hasAfter: boolean;
      /** From where to ask next: behind the last item; behind all that the read models have applied where there is none after it. */
      readonly next: ChangePlace;
    }
);

export type RemovedItem = {
  readonly id: string;
  readonly organizationId: string;
  /** When the log stored that, milliseconds since the Unix epoch. */
  readonly removedAt: number;
};

export type ListRequest = {
  readonly guarded: Guarded;
  /** 1 to 100. */
  readonly perPage: number;
  readonly place: ListPlace;
  /** Versions that the caller already has: when the list's is one of them, only one row is read. */
  readonly unless?: readonly string[];
};

export type ListPlace =
  /** By position in the current list; `page` from 1. */
  | { readonly by: 'page'; readonly page: number }
  /** The records after `position` that had entered by `bound`. */
  | { readonly by: 'after'; readonly position: ListPosition; readonly bound: bigint }
  /** The records just before `position`. */
  | { readonly by: 'before'; readonly position: ListPosition; readonly bound: bigint };

/** The place of a record, whether or not it still exists. Increases along the list, by organization first. */
export type ListPosition = { readonly organizationId: string; readonly ordinal: number };

export type ListAnswer<T> = {
  /** Different for every state of every list, the same after a rebuild: an ETag of 1 to 64 base64url characters. */
  readonly version: string;
  /** Whether changes of the list wait behind an event that could not be applied. */
  readonly stale: boolean;
} & (
  | { readonly unchanged: true }
  | {
      readonly unchanged: false;
      readonly items: readonly ListItem<T>[];
      /** Current number of items, independent of the bound. */
      readonly totalItems: number;
      /** Positions of the first and the last item; null without items. */
      readonly first: ListPosition | null;
      readonly last: ListPosition | null;
      /** Whether there is a record before the first item. */
      readonly hasBefore: boolean;
      /** Whether there is a record after the last item that had entered by the bound. */
      readonly hasAfter: boolean;
      /** Log position that limits the whole pagination: the request's, or the newest change of the list. */
      readonly bound: bigint;
      /** From where the changes since this page can be asked for; null for a page by position, which continues a walk. */
      readonly sync: Pick<ChangesOrigin, 'place' | 'state'> | null;
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
  readonly retired: boolean;
};

export type ApprovedAddon = {
  readonly addonId: string;
  /** RFC 3339 UTC: when it first exchanged a code; null: never. */
  readonly firstTokenAt: string | null;
  /** When it last refreshed its tokens; null: never. */
  readonly renewedAt: string | null;
};

/** What an add-on has in an epoch, everywhere the same. */
export type LiveGrants = {
  /** Grants whose code was exchanged, that nothing has ended, and that have not expired: counted everywhere the same. */
  readonly liveGrants: number;
  /** Codes that can still be exchanged. */
  readonly unredeemedCodes: number;
  readonly approvers: number;
};

export type Connections = LiveGrants & {
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC: when it last got a token in this epoch. */
  readonly lastTokenAt: string | null;
  /** Grants and codes without a GrantRevoked, expired ones too: a deactivation revokes them. */
  readonly notRevoked: number;
};

/** What one person approved for an organization, and its current state. */
export type Approval = Omit<LiveGrants, 'approvers'> & {
  readonly userId: string;
  /** Null where the account is not known. */
  readonly name: string | null;
  /** All approved scopes, also those of grants that have ended. */
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC. */
  readonly lastTokenAt: string | null;
};

type KnownAddon = Omit<RegisteredAddon, 'allowedScopes' | 'redirectUris' | 'confidential'>;

export type OrganizationAddon = Connections &
  KnownAddon & {
    readonly allowedScopes: readonly AllowedScope[];
    readonly publisher: string | null;
    readonly hasLogo: boolean;
    readonly status: 'never-activated' | 'active' | 'deactivated';
    readonly epoch: number;
    /** Who activated the current or last epoch: a user's id or `break-glass`; and the name, where known. */
    readonly activatedBy: string | null;
    readonly activatedByName: string | null;
    /** RFC 3339 UTC. */
    readonly activatedAt: string | null;
    readonly deactivatedBy: string | null;
    readonly deactivatedByName: string | null;
    readonly deactivatedAt: string | null;
    /** Of grants and codes that it ended and that had not expired; null before RevocationCompleted. */
    readonly revokedGrants: number | null;
  };

/** Single records as the lists hold them, for the commands that write them; see `commands/record.ts`. */
export type KnownRecords = {
  readonly [R in RecordResource as R['key']]: FindKnown<RecordOf<R>>;
};

/** Null where the list has none: not yet, or no longer. @throws when the read models cannot be reached */
export type FindKnown<T> = (organizationId: string, id: string) => Promise<KnownRecord<T> | null>;
