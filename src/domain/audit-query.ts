import { accept, type Decision, type Instant, refuse } from './decision.ts';

/** What may be asked of the history. Each is noted before it is answered. */
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

/** Somebody read the history: who is in the stream's name. */
export type AuditQueryEvent = {
  readonly type: 'AuditQueried';
  readonly data: {
    /** Null where the question was not about one organization. */
    readonly organizationId: string | null;
    readonly query: AuditQuery;
    /** Ids, times, positions and counts; what was not asked for is left out. */
    readonly parameters: readonly AuditParameter[];
    readonly at: Instant;
  };
};

/** No spaces and no `@`: nothing that could be a person's name or address is kept for ever in passing. */
const nameable = /^[a-z][a-z_-]{0,31}$/;
const noteable = /^[A-Za-z0-9_.:/+-]{1,256}$/;

/** Notes a question. Refused when it holds anything but ids, times, positions and counts: it would be kept for ever. */
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

/** The organization that a question to the history was about, in the data of an event as it is stored; null for none. */
export const organizationAskedIn = (data: unknown): string | null => {
  const asked = (data as { readonly organizationId?: unknown } | null | undefined)?.organizationId;
  return typeof asked === 'string' ? asked : null;
};
