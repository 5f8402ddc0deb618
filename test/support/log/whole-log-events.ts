import type { LogReader, Position, StoredEvent, StreamPattern } from '../../../src/eventstore/event-store.ts';
import { comparePositions } from '../../../src/eventstore/event-store.ts';

import { Interrupted } from '../../../src/audit/interrupted.ts';

type Options = {
  readonly organizationId: string;
  /** Both inclusive. */
  readonly from: Position | null;
  readonly until: Position;
  readonly signal: AbortSignal;
};

/**
 * All events that concern an organization, in the order of the log. It remembers the ids of its grants and its add-ons,
 * to recognize their later events. Accounts are not included: they belong to people, not to an organization.
 * @throws Interrupted
 */
export async function* wholeLogEvents(log: LogReader, options: Options): AsyncGenerator<StoredEvent> {
  const streams = await streamsOf(log, options);
  const { organizationId, from, until, signal } = options;
  const isOurs = makeIsOurs(organizationId);
  for await (const event of log.readLog({ after: null, until, only: { streams }, signal }))
    if (isOurs(event) && (from === null || comparePositions(event.position, from) >= 0)) yield event;
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
}

/** An add-on's own events come before those that connect it to the organization. */
const streamsOf = async (
  log: LogReader,
  { organizationId, until, signal }: Options,
): Promise<readonly StreamPattern[]> => {
  const addons = new Set<string>();
  const activations = { prefix: `activation-${organizationId}.` };
  for await (const { stream } of log.readLog({
    after: null,
    until,
    only: { streams: [activations] },
    signal,
  }))
    addons.add(`addon-${stream.slice(activations.prefix.length)}`);
  return [
    { name: `organization-${organizationId}` },
    activations,
    ...['consent', 'profile', 'reservation', 'accessRight'].map((category) => ({
      prefix: `${category}-${organizationId}.`,
    })),
    { prefix: 'grant-' },
    { prefix: 'audit-' },
    ...[...addons].map((name) => ({ name })),
  ];
};

/** Only the first event of a grant names its subject; every event of an audit query does. */
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
