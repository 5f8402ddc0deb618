import type { Position } from '../../eventstore/event-store.ts';
import { positionText } from './position-text.ts';
import { textOf } from '../../domain/kernel/sentence.ts';
import type { GrantBar, GrantBars, TimelineEntry, TimelinePage } from './timeline.ts';

/** A page of a timeline as JSON, for the command line and HTTP alike. */
export const presentPage = ({ about, entries, earlier, later, upTo, dropped }: TimelinePage) => ({
  about,
  entries: entries.map(presentEntry),
  earlier: textOrNull(earlier),
  later: textOrNull(later),
  up_to: textOrNull(upTo),
  dropped: [...dropped],
});

export const presentEntry = (entry: TimelineEntry) => ({
  position: positionText(entry.position),
  time: entry.time,
  type: entry.type,
  what: textOf(entry.words),
  why: entry.why && textOf(entry.why),
  actor: entry.actor,
  token_id: entry.tokenId,
  concerns: entry.concerns,
  told: entry.told.map(({ acknowledgedAt, ...told }) => ({ ...told, acknowledged_at: acknowledgedAt })),
  stream: entry.stream,
  revision: Number(entry.revision),
  event_id: entry.eventId,
});

export const presentBars = ({ bars, earlier }: GrantBars) => ({
  grants: bars.map(presentBar),
  earlier: textOrNull(earlier),
});

const presentBar = (bar: GrantBar) => ({
  grant_id: bar.grantId,
  subject: bar.subject,
  approved_by: bar.approvedBy,
  addon: bar.addon,
  scopes: bar.scopes,
  issued_at: bar.issuedAt,
  redeemed_at: bar.redeemedAt,
  ended_at: bar.endedAt,
  reason: bar.reason,
  why: bar.why && textOf(bar.why),
});

const textOrNull = (position: Position | null): string | null => (position ? positionText(position) : null);
