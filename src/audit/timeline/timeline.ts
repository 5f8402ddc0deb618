import type { About, Owner } from '../../domain/event-subjects.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { grantRevocationReasons } from '../../domain/access/events.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { ReferenceFilters } from '../../projections/history/read-history.ts';
import type { Sentence } from '../../domain/kernel/sentence.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import type { ReadTold } from '../../signals/read-sets-of-events.ts';
import type { EventLookupDependencies } from '../event-lookup/dependencies.ts';
import type { EventDependencies } from '../read-events.ts';

export type TimelineDependencies = EventDependencies &
  EventLookupDependencies & {
    readonly names: ReadNames;
    readonly told: ReadTold;
    readonly now: () => number;
  };

/** With its current name, where one is known. */
export type Named = About & { readonly name: string | null };

export type Actor =
  | { readonly kind: 'user' | 'addon'; readonly id: string; readonly name: string | null }
  /** On the command line, without having signed in. */
  | { readonly kind: 'break-glass' }
  /** Grantbook itself: it ends what a deactivation, a withdrawal or a disabling has already ended. */
  | { readonly kind: 'service'; readonly id: string };

/** A SET that an event caused (ADR 64), and whether the add-on has acknowledged it. */
export type Told = {
  readonly addon: Named;
  readonly event: string;
  readonly jti: string;
  /** `refused`: the receiver reported an error in place of an acknowledgement. */
  readonly state: 'waiting' | 'acknowledged' | 'refused';
  /** When the receiver last acknowledged or refused it, RFC 3339; null: never. */
  readonly acknowledgedAt: string | null;
};

/** What the sentence about an event is made of, for pages in the language of their readers. */
export type EventSource = {
  readonly event: DomainEvent;
  readonly streamId: string;
  readonly owner: Owner | null;
  /** As they are now, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The add-on of each grant that was searched for, by grant. */
  readonly grants: ReadonlyMap<string, string>;
};

/** Why something happened, before it is a sentence. */
export type Because = {
  readonly kind: EndReason | 'addon-suspended' | 'addon-not-active' | null;
  /** The event that caused it, where that is another one. `time`: RFC 3339. */
  readonly cause: { readonly time: string; readonly actor: Actor | null; readonly place: string } | null;
  /** An operator's own words, isolated as names are. */
  readonly given: string | null;
};

export type TimelineEntry = {
  readonly position: Position;
  /** When the log stored it, RFC 3339. */
  readonly time: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly eventId: string;
  /** An `EventType`, or one that only a newer version knows. */
  readonly type: string;
  /** What the events of one act have in common: the event that caused them, their request, and the ids of the events themselves. */
  readonly act: readonly string[];
  /** Null where the log does not say it. */
  readonly actor: Actor | null;
  /** Id of the administrator token that the actor's program used. */
  readonly tokenId: string | null;
  /** In English, for programs. */
  readonly words: Sentence;
  readonly why: Sentence | null;
  readonly source: EventSource | 'newer-version' | 'unreadable';
  readonly because: Because | null;
  readonly concerns: readonly Named[];
  /** As it stands now, as long as it is kept: it is not of the log. */
  readonly told: readonly Told[];
};

export type TimelineRequest = {
  readonly about: About;
  /** For a user: the events of which the user is the actor, instead of those about the user. */
  readonly acted?: boolean;
  readonly limit: number;
  /** Exclusive: the events after it, found from the oldest. Without both, from the beginning. */
  readonly after?: Position | undefined;
  /** Exclusive: the events before it, found from the newest; `end` is after all events. */
  readonly before?: Position | 'end' | undefined;
  readonly filters?: ReferenceFilters;
  /** Includes an organization's profiles, reservations and access rights: their streams are read for it. */
  readonly records?: boolean;
};

export type TimelinePage = {
  readonly about: Named;
  /** Ordered from the oldest, in both directions. */
  readonly entries: readonly TimelineEntry[];
  /** The value of `before` for earlier entries; null when there are none. */
  readonly earlier: Position | null;
  /** The value of `after` for later entries; null when there are none yet. */
  readonly later: Position | null;
  /** The position up to which events can be found; newer ones are not indexed yet. */
  readonly upTo: Position | null;
  /** Dropped months within the page: their events are not shown. */
  readonly dropped: readonly string[];
};

/** Why a grant has ended. The log has no event for the last two: they expired. */
export const endReasons = [...grantRevocationReasons, 'code-expired', 'tokens-expired'] as const;
export type EndReason = (typeof endReasons)[number];

export type GrantBar = {
  readonly grantId: string;
  /** Whose records: the organization's, or the user's own. */
  readonly subject: Named;
  readonly approvedBy: Named;
  readonly addon: Named;
  readonly scopes: readonly Scope[];
  /** RFC 3339, of the log. */
  readonly issuedAt: string;
  /** When the code was exchanged for tokens; null: never. */
  readonly redeemedAt: string | null;
  /** When tokens were last issued; null: never. */
  readonly lastTokenAt: string | null;
  /** When it ended: at the deactivation, withdrawal or disabling itself, even if the grant recorded it later. Null: not yet. */
  readonly endedAt: string | null;
  readonly reason: EndReason | null;
  /** The same in plain words, in English, for programs. */
  readonly why: Sentence | null;
  readonly because: Because | null;
};

export type GrantBarsRequest = {
  readonly about: About;
  /** Further subjects that they must have. */
  readonly concerning?: readonly About[];
  /** Grants that existed at some time from here, */
  readonly from?: number | undefined;
  /** to here; milliseconds since the Unix epoch, of the log, both inclusive. */
  readonly to?: number | undefined;
  /** The newest; 100 by default. */
  readonly limit?: number;
  /** Only grants issued before this position. */
  readonly before?: Position | undefined;
};

export type GrantBars = {
  readonly bars: readonly GrantBar[];
  /** The value of `before` for older ones; null when there are no more. */
  readonly earlier: Position | null;
};

export type Timeline = {
  page(request: TimelineRequest, signal?: AbortSignal): Promise<TimelinePage>;
  grantBars(request: GrantBarsRequest): Promise<GrantBars>;
  /** Whether the log has any event about it. */
  exists(about: About): Promise<boolean>;
};
