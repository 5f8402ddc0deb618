import type { EventOf } from '../domain/events.ts';
import { grantDecider, type Grant, type GrantEvent, usableUntil } from '../domain/access/grant.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import type { Reference } from '../projections/history/read-history.ts';
import { causeIn, named } from './timeline/entries.ts';
import { streamThrough } from './read-events.ts';
import type {
  EndReason,
  GrantBar,
  GrantBars,
  GrantBarsRequest,
  TimelineDependencies,
} from './timeline/timeline.ts';
import { makeCauseOf, whySentence, type CauseOf } from './timeline/revocation-cause.ts';

/** The most grants that are read for one chart, including those that turn out to have ended before it begins. */
const mostLookedAt = 500;
const atOnce = 8;

/** The newest grants that existed within a time range, each folded from its own stream. */
export const grantBarsOf = async (
  dependencies: TimelineDependencies,
  { about, concerning, from = -Infinity, to, limit = 100, before }: GrantBarsRequest,
): Promise<GrantBars> => {
  const causeOf = makeCauseOf(dependencies);
  const issues = await dependencies.history.references(
    about,
    { order: 'backward', before: before ?? null },
    mostLookedAt + 1,
    { eventTypes: ['AuthorizationCodeIssued'], concerning, to },
  );
  const lives: Life[] = [];
  let looked = 0;
  while (looked < Math.min(issues.length, mostLookedAt) && lives.length < limit) {
    const some = issues.slice(
      looked,
      Math.min(looked + Math.min(atOnce, limit - lives.length), mostLookedAt),
    );
    const read = await Promise.all(some.map((issue) => readLife(dependencies, causeOf, issue)));
    looked += some.length;
    lives.push(
      ...read.flatMap((life) => (life && (life.endedAt === null || life.endedAt >= from) ? [life] : [])),
    );
  }
  const last = issues[looked - 1];
  return {
    bars: await barsOf(dependencies, lives.toReversed()),
    earlier: looked < issues.length && last ? last.position : null,
  };
};

type Life = {
  readonly terms: EventOf<'AuthorizationCodeIssued'>['data'];
  readonly issuedAt: number;
  readonly redeemedAt: number | null;
  readonly lastTokenAt: number | null;
  readonly endedAt: number | null;
  readonly reason: EndReason | null;
  readonly cause: RecordedEvent | null;
};

const readLife = async (
  dependencies: TimelineDependencies,
  causeOf: CauseOf,
  { stream, owner }: Reference,
): Promise<Life | null> => {
  let grant: Grant = grantDecider.initial;
  let issuedAt = 0;
  let redeemedAt: number | null = null;
  let lastTokenAt: number | null = null;
  let ended: RecordedEvent | null = null;
  for await (const { recorded } of streamThrough(dependencies, stream)) {
    if (!recorded) continue;
    const { event, created } = recorded;
    grant = grantDecider.evolve(grant, event as GrantEvent);
    if (event.type === 'AuthorizationCodeIssued') issuedAt = created;
    if (event.type === 'AuthorizationCodeRedeemed') redeemedAt = created;
    if ('accessExpiresAt' in event.data) lastTokenAt = created;
    if (event.type === 'GrantRevoked') ended ??= recorded;
  }
  if (!('terms' in grant)) return null;
  const { terms } = grant;
  const cause = ended && (await causeOf(ended, owner));
  const end = ended ? revokedAt(ended, cause) : expiryOf(grant, dependencies.now());
  return { terms, issuedAt, redeemedAt, lastTokenAt, cause, ...end };
};

/** At the time of its cause, even if the reaction recorded it later; never before its issue. */
const revokedAt = (ended: RecordedEvent, cause: RecordedEvent | null) => ({
  endedAt: cause?.created ?? ended.created,
  reason: ended.event.type === 'GrantRevoked' ? ended.event.data.reason : null,
});

const expiryOf = (
  grant: Grant,
  now: number,
): { readonly endedAt: number | null; readonly reason: EndReason | null } => {
  if (grant.status === 'code-issued' && grant.terms.expiresAt <= now)
    return { endedAt: grant.terms.expiresAt, reason: 'code-expired' };
  if (grant.status === 'live') {
    const until = usableUntil(grant.current);
    if (until <= now) return { endedAt: until, reason: 'tokens-expired' };
  }
  return { endedAt: null, reason: null };
};

const barsOf = async (
  dependencies: TimelineDependencies,
  lives: readonly Life[],
): Promise<readonly GrantBar[]> => {
  const names = await dependencies.names(
    lives.flatMap(({ terms, cause }) => [
      subjectOf(terms),
      { kind: 'user', id: terms.userId } as const,
      { kind: 'addon', id: terms.addonId } as const,
      ...(cause?.metadata.actor ? [{ kind: 'user', id: cause.metadata.actor } as const] : []),
    ]),
  );
  return lives.map(({ terms, issuedAt, redeemedAt, lastTokenAt, endedAt, reason, cause }) => {
    const because = reason && { kind: reason, cause: causeIn(cause, names), given: null };
    return {
      grantId: terms.grantId,
      subject: named(subjectOf(terms), names),
      approvedBy: named({ kind: 'user', id: terms.userId }, names),
      addon: named({ kind: 'addon', id: terms.addonId }, names),
      scopes: terms.scopes,
      issuedAt: timeOf(issuedAt),
      redeemedAt: redeemedAt === null ? null : timeOf(redeemedAt),
      lastTokenAt: lastTokenAt === null ? null : timeOf(lastTokenAt),
      endedAt: endedAt === null ? null : timeOf(endedAt),
      reason,
      why: because && whySentence(because),
      because,
    };
  });
};

const timeOf = (instant: number): string => new Date(instant).toISOString();

const subjectOf = ({ subject }: Life['terms']) =>
  subject.kind === 'organization'
    ? ({ kind: 'organization', id: subject.organizationId } as const)
    : ({ kind: 'user', id: subject.userId } as const);
