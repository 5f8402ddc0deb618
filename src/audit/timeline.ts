import type { About } from '../domain/event-subjects.ts';
import { grantRevocationReasons } from '../domain/grant.ts';
import type { Scope } from '../domain/scope.ts';
import type { Position } from '../eventstore/event-store.ts';
import type { ReferenceFilters } from '../projections/read-history.ts';
import type { Sentence } from './sentence.ts';

/** With its name as it is now, where one is known. */
export type Named = About & { readonly name: string | null };

/** Who acted. */
export type Actor =
  | { readonly kind: 'user' | 'addon'; readonly id: string; readonly name: string | null }
  | { readonly kind: 'operator' }
  /** On the command line, without having signed in. */
  | { readonly kind: 'break-glass' }
  /** Grantbook itself: it ends what a deactivation, a withdrawal or a disabling has ended already. */
  | { readonly kind: 'service'; readonly id: string };

/** One event, in words. */
export type TimelineEntry = {
  readonly position: Position;
  /** When the log stored it, RFC 3339. */
  readonly time: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly eventId: string;
  /** An `EventType`, or one that only a newer version knows. */
  readonly type: string;
  /** Null where the log does not say it. */
  readonly actor: Actor | null;
  /** Id of the administrator token that the actor's program used. */
  readonly tokenId: string | null;
  /** What happened. */
  readonly words: Sentence;
  readonly why: Sentence | null;
  readonly concerns: readonly Named[];
};

/** All of them must hold; times are of the log, in milliseconds since the Unix epoch, both inclusive. */
export type TimelineFilters = ReferenceFilters;

export type TimelineRequest = {
  readonly about: About;
  /** Of a user: everything that they did, whomever it concerned, instead of what concerns them. */
  readonly acted?: boolean;
  readonly limit: number;
  /** Exclusive: what follows, the oldest first to be found. Without both, from the beginning. */
  readonly after?: Position;
  /** Exclusive: what comes before, the newest first to be found; `end` is after all. */
  readonly before?: Position | 'end';
  readonly filters?: TimelineFilters;
  /** An organization's profiles, reservations and access rights too: their streams are read for it. */
  readonly records?: boolean;
};

export type TimelinePage = {
  readonly about: Named;
  /** The oldest first, whichever way they were found. */
  readonly entries: readonly TimelineEntry[];
  /** To be given as `before` for what comes before these; null when nothing does. */
  readonly earlier: Position | null;
  /** To be given as `after` for what follows; null when nothing does as yet. */
  readonly later: Position | null;
  /** Up to where all that happened can be found; what is newer is not in the index yet. */
  readonly upTo: Position | null;
  /** Months that the page reaches into and whose references are archived: what happened in them is not told. */
  readonly archived: readonly string[];
};

/** Why a grant is over. Nothing in the log says the last two: their time has come. */
export const endReasons = [...grantRevocationReasons, 'code-expired', 'tokens-expired'] as const;
export type EndReason = (typeof endReasons)[number];

/** One grant as a bar from issue to end. */
export type GrantBar = {
  readonly grantId: string;
  /** Whose records: the organization's, or the user's own. */
  readonly subject: Named;
  /** Who approved. */
  readonly approvedBy: Named;
  readonly addon: Named;
  readonly scopes: readonly Scope[];
  /** RFC 3339, of the log. */
  readonly issuedAt: string;
  /** When the code was exchanged for tokens; null: never. */
  readonly redeemedAt: string | null;
  /** When tokens were given out last; null: never. */
  readonly lastTokenAt: string | null;
  /** When it was over: with the deactivation, withdrawal or disabling itself, however late it was noted in the grant. Null: not yet. */
  readonly endedAt: string | null;
  readonly reason: EndReason | null;
  /** The same in plain words. */
  readonly why: Sentence | null;
};

export type GrantBarsRequest = {
  readonly about: About;
  /** What they are about besides. */
  readonly concerning?: readonly About[];
  /** Grants that were there at some time from here, */
  readonly from?: number;
  /** to here; milliseconds since the Unix epoch, of the log, both inclusive. */
  readonly to?: number;
  /** The newest; 100 by default. */
  readonly limit?: number;
  /** Only grants issued before this position. */
  readonly before?: Position;
};

export type GrantBars = {
  /** In the order in which they were issued. */
  readonly bars: readonly GrantBar[];
  /** To be given as `before` for older ones; null when all have been looked at. */
  readonly earlier: Position | null;
};

/** What happened, read from the log when asked. */
export type Timeline = {
  page(request: TimelineRequest, signal?: AbortSignal): Promise<TimelinePage>;
  grantBars(request: GrantBarsRequest): Promise<GrantBars>;
  /** Whether the log knows of it at all. */
  exists(about: About): Promise<boolean>;
};
