import { InvalidArgumentError } from 'commander';
import { parseTime, parseTimeUntil } from '../../audit/timeline/parse-time.ts';
import { eventDescriptions, type EventType } from '../../domain/events.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { parsePositionOption } from '../base/option-values.ts';

/** Parsers of option values; an error becomes a usage error with the option's name and the allowed values. */

export const aPositionOrEnd = (value: string): Position | 'end' =>
  value === 'end' ? 'end' : parsePositionOption(value);

const aTimeBy = (parse: (value: string) => number | null) => (value: string) => {
  const time = parse(value);
  if (time !== null) return time;
  throw new InvalidArgumentError(
    'Allowed is a time such as 2026-05-03T16:20:05Z (RFC 3339), or a date, which is meant in UTC.',
  );
};
/** A date means its first moment. */
export const aTime = aTimeBy(parseTime);
/** A date means its last moment; today means the time until now. */
export const aTimeUntil = aTimeBy((value) => parseTimeUntil(value, Date.now()));

export const aCount =
  (most: number) =>
  (value: string): number => {
    const count = /^[1-9]\d{0,6}$/.test(value) ? Number(value) : Number.NaN;
    if (count <= most) return count;
    throw new InvalidArgumentError(`Allowed is a whole number from 1 to ${most}.`);
  };

/** The number of entries to skip. */
export const anOffset = (value: string): number => {
  if (/^(?:0|[1-9]\d{0,8})$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Allowed is a whole number from 0.');
};

export const anEventType = (value: string): EventType => {
  if (Object.hasOwn(eventDescriptions, value)) return value as EventType;
  throw new InvalidArgumentError(
    `Allowed are the event types of docs/reference/events.md, such as GrantRevoked.`,
  );
};

/** In the form of the log: a user id, `break-glass`, `operator`, `addon:<client_id>`, or an internal actor of Grantbook. */
export const anActor = (value: string): string => {
  if (/^(?:addon:)?[A-Za-z0-9_-]{1,64}$/.test(value)) return value;
  throw new InvalidArgumentError('Allowed are a user id, break-glass, operator, or addon: with a client_id.');
};

/** Revisions are 64-bit numbers. */
export const aRevision = (value: string): bigint => {
  const revision = /^(?:0|[1-9]\d{0,18})$/.test(value) ? BigInt(value) : -1n;
  if (revision >= 0n && revision < 2n ** 63n) return revision;
  throw new InvalidArgumentError('Allowed is a revision: a whole number from 0 to 2^63−1.');
};

/** The `next` of a previous answer. */
export const aCursor = (value: string): bigint => {
  if (/^(0|[1-9]\d{0,18})$/.test(value)) return BigInt(value);
  throw new InvalidArgumentError('Allowed is the `next` of a previous output.');
};
