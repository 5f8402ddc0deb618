import { accept, type Decision, type Instant, refuse } from '../kernel/decision.ts';

/** The queries on the audit log. Each is recorded before it is answered. */
export const auditQueries = [
  'organizations',
  'timeline',
  'grants',
  'replay',
  'as-of',
  'exposure',
  'export',
] as const;

export type AuditQuery = (typeof auditQueries)[number];

export type AuditParameter = { readonly name: string; readonly value: string };

/** A user read the audit log. The stream's name says who. */
export type AuditQueryEvent = {
  readonly type: 'AuditQueried';
  readonly data: {
    /** Null where the query was not about one organization. */
    readonly organizationId: string | null;
    readonly query: AuditQuery;
    /** Ids, times, positions and counts. Parameters that were not given are left out. */
    readonly parameters: readonly AuditParameter[];
    readonly at: Instant;
  };
};

/** No spaces and no `@`, so that no person's name or address is stored for ever by accident. */
const nameable = /^[a-z][a-z_-]{0,31}$/;
const noteable = /^[A-Za-z0-9_.:/+-]{1,256}$/;

/**
 * Records a query. Refused when it holds anything but ids, times, positions and counts: those would be stored for ever.
 */
export const noteAuditQuery = ({
  now,
  ...question
}: Omit<AuditQueryEvent['data'], 'at'> & { readonly now: Instant }): Decision<
  AuditQueryEvent,
  'not-noteable'
> =>
  question.parameters.every(({ name, value }) => nameable.test(name) && noteable.test(value))
    ? accept({ type: 'AuditQueried', data: { ...question, at: now } })
    : refuse('not-noteable');

/** The organization that an audit query was about, from the data of a stored event; null for none. */
export const organizationAskedIn = (data: unknown): string | null => {
  const asked = (data as { readonly organizationId?: unknown } | null | undefined)?.organizationId;
  return typeof asked === 'string' ? asked : null;
};
