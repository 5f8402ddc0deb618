import type { LogReader, Position, RecordedEvent, StoredEvent } from '../../../src/eventstore/event-store.ts';

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

/**
 * The last of these events that changes something for the organization; each stream is judged by all of them. Of a
 * profile that is whose it is.
 */
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
  const userOf = new Map<string, string>();
  const unchanging = new Set<RecordedEvent>();
  for (const recorded of prefix) {
    const { event, stream } = recorded;
    if (stream.startsWith(`profile-${organizationId}.`)) {
      streams.add(stream);
      const user = event.type === 'ProfileRecorded' ? (event.data.userId ?? '') : '';
      if (user === (userOf.get(stream) ?? '')) unchanging.add(recorded);
      userOf.set(stream, user);
    }
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
  const changing = (event: RecordedEvent) => streams.has(event.stream) && !unchanging.has(event);
  return prefix.findLast(changing)?.position ?? null;
};
