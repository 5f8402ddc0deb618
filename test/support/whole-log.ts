import type { LogReader, Position, RecordedEvent, StoredEvent } from '../../src/eventstore/event-store.ts';

type Range = { readonly until: Position; readonly time?: number };

/**
 * All grants, accounts and consents together with an organization's own streams: the former input of as-of and
 * exposure.
 */
export async function* wholeLogAccess(
  log: LogReader,
  organizationId: string,
  { until, time = Infinity }: Range,
): AsyncGenerator<StoredEvent> {
  const ours = ['activation', 'profile', 'reservation', 'accessRight'].map((category) => ({
    prefix: `${category}-${organizationId}.`,
  }));
  const everybodys = ['addon-', 'grant-', 'account-', 'consent-'].map((prefix) => ({ prefix }));
  const streams = [{ name: `organization-${organizationId}` }, ...ours, ...everybodys];
  const { signal } = new AbortController();
  for await (const event of log.readLog({ after: null, until, only: { streams }, signal })) {
    if (event.created > time) return;
    yield event;
  }
}

/** The last of these events that concerns the organization; each stream is judged by all of them. */
export const lastConcerning = (prefix: readonly RecordedEvent[], organizationId: string): Position | null => {
  const streams = new Set([`organization-${organizationId}`]);
  const users = new Set(
    prefix.flatMap(({ event, stream }) =>
      event.type === 'ProfileRecorded' &&
      stream.startsWith(`profile-${organizationId}.`) &&
      event.data.userId !== null
        ? [event.data.userId]
        : [],
    ),
  );
  for (const { event, stream } of prefix) {
    if (stream.startsWith(`profile-${organizationId}.`)) streams.add(stream);
    if (stream.startsWith(`activation-${organizationId}.`))
      streams.add(stream).add(`addon-${stream.slice(stream.indexOf('.') + 1)}`);
    if (event.type !== 'AuthorizationCodeIssued') continue;
    const { subject, addonId, userId } = event.data;
    const isOurs =
      subject.kind === 'organization' ? subject.organizationId === organizationId : users.has(userId);
    if (!isOurs) continue;
    streams.add(stream).add(`addon-${addonId}`).add(`account-${userId}`);
    if (subject.kind === 'user') streams.add(`consent-${userId}.${addonId}`);
  }
  return prefix.findLast(({ stream }) => streams.has(stream))?.position ?? null;
};
