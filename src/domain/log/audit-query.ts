import { accept, type Decision, refuse, type At } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import { isRecordStream } from '../records/each-record.ts';
import type { auditQueryEvents } from './events.ts';

export type AuditQueryEvent = EventsIn<typeof auditQueryEvents>;
export type AuditQuery = AuditQueryEvent['data']['query'];

/** No spaces and no `@`, so that no person's name or address is stored permanently by accident; streams of records are there already. */
const nameable = /^[a-z][a-z_-]{0,31}$/;
const noteable = /^[A-Za-z0-9_.:/+-]{1,256}$/;

/** Records a query. Refused when it holds anything but ids, times, positions and counts: those would be stored permanently. */
export const noteAuditQuery = ({
  now,
  ...question
}: Omit<AuditQueryEvent['data'], 'at'> & At): Decision<AuditQueryEvent, 'not-noteable'> =>
  question.parameters.every(
    ({ name, value }) => nameable.test(name) && (noteable.test(value) || isRecordStream(value)),
  )
    ? accept({ type: 'AuditQueried', data: { ...question, at: now } })
    : refuse('not-noteable');

/** The organization that an audit query was about, from the data of a stored event; null for none. */
export const organizationAskedIn = (data: unknown): string | null => {
  const asked = (data as { readonly organizationId?: unknown } | null | undefined)?.organizationId;
  return typeof asked === 'string' ? asked : null;
};
