import { parseTime, parseTimeUntil } from '../../audit/timeline/parse-time.ts';
import { eventDescriptions, type EventType } from '../../domain/events.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { allowing, matching, parsePositionOption } from '../base/option-values.ts';

export const aPositionOrEnd = (value: string): Position | 'end' =>
  value === 'end' ? 'end' : parsePositionOption(value);

const timeWords = 'is a time such as 2026-05-03T16:20:05Z (RFC 3339), or a date, which is meant in UTC';
/** A date means its first moment. */
export const aTime = allowing(timeWords, (value) => parseTime(value));
/** A date means its last moment; today means the time until now. */
export const aTimeUntil = allowing(timeWords, (value) => parseTimeUntil(value, Date.now()));

/** The number of entries to skip. */
export const anOffset = allowing('is a whole number from 0', (value) =>
  /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : null,
);

export const anEventType = allowing(
  'are the event types of docs/reference/events.md, such as GrantRevoked',
  (value) => (Object.hasOwn(eventDescriptions, value) ? (value as EventType) : null),
);

/** In the form of the log: a user id, `break-glass`, `operator`, `addon:<client_id>`, or an internal actor of Grantbook. */
export const anActor = matching(
  'are a user id, break-glass, operator, or addon: with a client_id',
  /^(?:addon:)?[A-Za-z0-9_-]{1,64}$/,
);

const wholeOf64Bits = (value: string): bigint | null =>
  /^(?:0|[1-9]\d{0,18})$/.test(value) ? BigInt(value) : null;

/** Revisions are 64-bit numbers. */
export const aRevision = allowing('is a revision: a whole number from 0 to 2^63−1', (value) => {
  const revision = wholeOf64Bits(value);
  return revision !== null && revision < 2n ** 63n ? revision : null;
});

/** The `next` of a previous answer. */
export const aCursor = allowing('is the `next` of a previous output', wholeOf64Bits);

export const timeText = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();
