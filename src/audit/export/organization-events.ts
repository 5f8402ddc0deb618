import type { LogReader, Position, StoredEvent, StreamPattern } from '../../eventstore/event-store.ts';
import { comparePositions } from '../../eventstore/event-store.ts';

import { Interrupted } from '../interrupted.ts';

type Options = {
  readonly organizationId: string;
  /** Inclusive, both. */
  readonly from: Position | null;
  readonly until: Position;
  readonly signal: AbortSignal;
};

/**
 * Everything that concerns an organization, in the order of the log. What is kept of it are the ids of its grants and of its
 * add-ons, which is how later events of theirs are known. Accounts are not in it: they belong to people, not to an organization.
 * @throws Interrupted
 */
export async function* organizationEvents(
  log: LogReader,
  { organizationId, from, until, signal }: Options,
): AsyncGenerator<StoredEvent> {
  const addons = new Set<string>();
  const activations = { prefix: `activation-${organizationId}.` };
  // An add-on's own events lie before those that tie it to the organization.
  for await (const { stream } of log.readLog({
    after: null,
    until,
    only: { streams: [activations] },
    signal,
  }))
    addons.add(`addon-${stream.slice(activations.prefix.length)}`);
  const streams: readonly StreamPattern[] = [
    { name: `organization-${organizationId}` },
    activations,
    ...['consent', 'profile', 'reservation', 'accessRight'].map((category) => ({
      prefix: `${category}-${organizationId}.`,
    })),
    { prefix: 'grant-' },
    { prefix: 'audit-' },
    ...[...addons].map((name) => ({ name })),
  ];
  const isOurs = makeIsOurs(organizationId);
  for await (const event of log.readLog({ after: null, until, only: { streams }, signal })) {
    const concerns = isOurs(event);
    if (concerns && (from === null || comparePositions(event.position, from) >= 0)) yield event;
  }
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
}

/** Of a grant only the first event says whose it is; of a question each. */
const makeIsOurs = (organizationId: string) => {
  const grants = new Set<string>();
  return ({ stream, type, data }: StoredEvent): boolean => {
    if (stream.startsWith('audit-')) return organizationOf(data) === organizationId;
    if (!stream.startsWith('grant-')) return true;
    if (type === 'AuthorizationCodeIssued' && organizationOf(subjectOf(data)) === organizationId)
      grants.add(stream);
    return grants.has(stream);
  };
};

const subjectOf = (data: unknown): unknown => (data as { readonly subject?: unknown } | null)?.subject;
const organizationOf = (named: unknown): unknown =>
  (named as { readonly organizationId?: unknown } | null | undefined)?.organizationId;
