import { accept, type Decision, refuse, type At } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import { isRecordStream } from '../records/each-record.ts';
import type { auditQueryEvents } from './events.ts';

export type AuditQueryEvent = EventsIn<typeof auditQueryEvents>;
export type AuditQuery = AuditQueryEvent['data']['query'];

/** No spaces and no `@`, so that no person's name or address is stored permanently by accident; streams of records are there already. */
const nameable = /^[a-z][a-z_-]{0,31}$/;
const noteable = /^[A-Za-z0-9_.:/+-]{1,256}$/;

/** How long, in milliseconds, a record stands for the same question of the same person (FX-97). */
const standsFor = 15 * 60_000;

/** Which part of an answer is asked for: another page is no other question. */
const places: ReadonlySet<string> = new Set(['after', 'before', 'limit', 'skip', 'after_grant']);

type Question = Omit<AuditQueryEvent['data'], 'at'>;

const withoutPlace = ({ organizationId, query, parameters }: Question): string => {
  const others = parameters.flatMap(({ name, value }) => (places.has(name) ? [] : [`${name} ${value}`]));
  return [organizationId, query, ...others.toSorted()].join('\n');
};

/**
 * Records a query, unless one of the earlier ones of the same person stands for it. Refused when it holds anything but ids, times,
 * positions and counts: those would be stored permanently.
 */
export const noteAuditQuery = (
  { now, ...question }: Question & At,
  earlier: readonly AuditQueryEvent[] = [],
): Decision<AuditQueryEvent, 'not-noteable'> => {
  const isNoteable = question.parameters.every(
    ({ name, value }) => nameable.test(name) && (noteable.test(value) || isRecordStream(value)),
  );
  if (!isNoteable) return refuse('not-noteable');
  const isRecorded = earlier.some(
    ({ data }) => Math.abs(now - data.at) < standsFor && withoutPlace(data) === withoutPlace(question),
  );
  return isRecorded ? accept() : accept({ type: 'AuditQueried', data: { ...question, at: now } });
};

/** The organization that an audit query was about, from the data of a stored event; null for none. */
export const organizationAskedIn = (data: unknown): string | null => {
  const asked = (data as { readonly organizationId?: unknown } | null | undefined)?.organizationId;
  return typeof asked === 'string' ? asked : null;
};
