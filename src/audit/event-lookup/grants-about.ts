import type { About } from '../../domain/event-subjects.ts';
import { isOfCategory } from '../../domain/kernel/stream-name.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import type { Reference } from '../../projections/history/read-history.ts';
import type { KnownStream } from '../../projections/kernel/streams-by-owner.ts';
import { isBeyond, unlessInterrupted, type EventLookupDependencies, type Range } from './dependencies.ts';

/** A grant, with what its first event says; its ids name the streams that the grant depends on. */
export type KnownIssue = KnownStream & {
  readonly addonId: string;
  readonly userId: string;
  /** Null: for the user's own records. */
  readonly organizationId: string | null;
};

type Wanted = {
  readonly organizationId: string;
  readonly users: ReadonlySet<string>;
  readonly addonId?: string;
};

const issues = { eventTypes: ['AuthorizationCodeIssued'] } as const;
const pageSize = 1000;
const usersAtOnce = 5000;

/** Grants for an organization's and its users' own records: from the index, and for newer events from the log. */
export const grantsAbout = async (
  { log, history }: Pick<EventLookupDependencies, 'log' | 'history'>,
  wanted: Wanted,
  range: Range,
): Promise<readonly KnownIssue[]> => {
  const { until, time, signal } = range;
  const { addonId } = wanted;
  const after = await history.checkpoint();
  const found = new Map<string, KnownIssue>();
  const keep = (issue: KnownIssue) => {
    if (isWanted(issue, wanted) && comparePositions(issue.first, until) <= 0) found.set(issue.stream, issue);
  };
  await eachIssue(history, { kind: 'organization', id: wanted.organizationId }, { addonId, to: time }, keep);
  const users = [...wanted.users];
  for (let next = 0; next < users.length; next += usersAtOnce) {
    unlessInterrupted(range);
    const some = users.slice(next, next + usersAtOnce);
    for (const grant of await history.ownGrants(some, { addonId, to: time })) keepKnown(grant, keep);
  }
  unlessInterrupted(range);
  if (after === null || comparePositions(after, until) < 0)
    for await (const event of log.readLog({ after, until, only: issues, signal })) {
      if (isBeyond(event, range)) break;
      const issue = issueIn(event);
      if (issue) keep(issue);
    }
  unlessInterrupted(range);
  return [...found.values()].toSorted((a, b) => comparePositions(a.first, b.first));
};

const isWanted = (issue: KnownIssue, { organizationId, users, addonId }: Wanted): boolean =>
  (addonId === undefined || issue.addonId === addonId) &&
  (issue.organizationId === null ? users.has(issue.userId) : issue.organizationId === organizationId);

const keepKnown = ({ stream, position, owner }: Reference, keep: (issue: KnownIssue) => void): void => {
  if (owner?.addonId && owner.userId)
    keep({ stream, first: position, ...owner, addonId: owner.addonId, userId: owner.userId });
};

const eachIssue = async (
  history: EventLookupDependencies['history'],
  about: About,
  { addonId, to }: { readonly addonId: string | undefined; readonly to: number | undefined },
  keep: (issue: KnownIssue) => void,
): Promise<void> => {
  const concerning: readonly About[] = addonId === undefined ? [] : [{ kind: 'addon', id: addonId }];
  let after: Position | null = null;
  for (;;) {
    const page = await history.references(about, { order: 'forward', after }, pageSize, {
      ...issues,
      concerning,
      to,
    });
    for (const reference of page) keepKnown(reference, keep);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.position;
  }
};

type IssueData = {
  readonly addonId?: unknown;
  readonly userId?: unknown;
  readonly subject?: { readonly kind?: unknown; readonly organizationId?: unknown } | null;
};

/** From the stored event: nothing in it is encrypted. Null for an event that cannot be a grant's first one. */
const issueIn = ({ stream, position, data }: StoredEvent): KnownIssue | null => {
  const { addonId, userId, subject } = (data ?? {}) as IssueData;
  if (!isOfCategory(stream, 'grant') || typeof addonId !== 'string' || typeof userId !== 'string')
    return null;
  const organizationId = subject?.kind === 'organization' ? subject.organizationId : null;
  if (organizationId !== null && typeof organizationId !== 'string') return null;
  return { stream, first: position, addonId, userId, organizationId };
};
