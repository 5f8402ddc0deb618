import { audienceAmong } from '../../domain/access/audience.ts';
import { fenceEventTypes, fenceRowOf } from '../../domain/fence/fence-rows.ts';
import {
  activationSubject,
  addonSubject,
  fenceSubjectsOf,
  judgeFence,
  organizationSubject,
  type FenceRefusal,
  type FenceRow,
  type FenceSubject,
  type Guarded,
} from '../../domain/fence/fence.ts';
import type { GrantTerms } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { idOf, isOfCategory } from '../../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';

/** An access token as far as the log knows it: that it was issued, never its text. */
export type IssuedToken = {
  readonly terms: GrantTerms;
  readonly rotation: number;
  readonly scopes: readonly Scope[];
  /** Whether it is for our own API (RFC 8707). */
  readonly ownApi: boolean;
  readonly issued: RecordedEvent;
  readonly expiresAt: number;
};

/** A grant whose code may or may not have been exchanged. */
export type KnownGrant = {
  readonly terms: GrantTerms;
  readonly issued: RecordedEvent;
  readonly redeemed: RecordedEvent | null;
  /** When the newest refresh token expires; null before the exchange. */
  readonly renewableUntil: number | null;
  /** Does not change. */
  readonly absoluteUntil: number;
  /** At least those that had not expired when the newest was issued. */
  readonly tokens: readonly IssuedToken[];
};

type Known = Omit<KnownGrant, 'tokens'> & { readonly tokens: IssuedToken[] };

/**
 * Everything that the bearer check uses, folded from the log in its order. It judges with the same rule as the service
 * (`judgeFence`), on the fence rows of the events.
 */
export type AccessFold = {
  /** @returns the token that the event issued, and the subject that it opened or closed, if any */
  apply(event: RecordedEvent): {
    readonly token: IssuedToken | null;
    readonly subject: FenceSubject | null;
  };
  /** The grants that nothing has revoked. */
  grants(): Iterable<KnownGrant>;
  /** Whether an operator has suspended the add-on, or retired it: everything it has is refused. */
  isSuspended(addonId: string): boolean;
  /** Why a token of the grant is refused, apart from a suspension; null when it is not. Expiry is not checked. */
  refusalOf(terms: GrantTerms, more?: Pick<Guarded, 'rotation' | 'needsApprover'>): FenceRefusal | null;
  /** Whether users' own tokens open their records of the organization: it has not deactivated the add-on, by closing or otherwise (ADR 5). */
  showsOwn(organizationId: string, addonId: string): boolean;
};

/** @param wanted other grants are dropped at once */
export const makeAccessFold = (wanted: (terms: GrantTerms) => boolean): AccessFold => {
  const rows = new Map<FenceSubject, FenceRow>();
  const grants = new Map<string, Known>();

  const noteRow = (event: RecordedEvent): FenceSubject | null => {
    const row = fenceRowOf(event);
    // The rows of a dropped grant are not needed.
    if (!row || (isOfCategory(event.stream, 'grant') && !grants.has(idOf(event.stream)))) return null;
    rows.set(row.subject, row);
    return row.subject;
  };
  const issue = (event: RecordedEvent, known: Known): IssuedToken | null => {
    const issued = tokenIn(event, known.terms);
    if (!issued) return null;
    const { token, renewableUntil, absoluteUntil } = issued;
    const isFirst = event.event.type === 'AuthorizationCodeRedeemed';
    const { tokens } = known;
    // The oldest expires first, unless lifetimes were shortened: then it is kept a while longer.
    while (tokens[0] && tokens[0].expiresAt <= event.created) tokens.shift();
    tokens.push(token);
    grants.set(known.terms.grantId, {
      ...known,
      redeemed: isFirst ? event : known.redeemed,
      renewableUntil,
      absoluteUntil: absoluteUntil ?? known.absoluteUntil,
    });
    return token;
  };

  return {
    apply(event) {
      const subject = noteRow(event);
      const { event: fact } = event;
      if (fact.type === 'AuthorizationCodeIssued') {
        const begun = { redeemed: null, renewableUntil: null, absoluteUntil: 0, tokens: [] };
        if (wanted(fact.data)) grants.set(fact.data.grantId, { terms: fact.data, issued: event, ...begun });
        return { token: null, subject };
      }
      const known = isOfCategory(event.stream, 'grant') ? grants.get(idOf(event.stream)) : undefined;
      if (!known) return { token: null, subject };
      if (fact.type === 'GrantRevoked') grants.delete(known.terms.grantId);
      return { token: issue(event, known), subject };
    },
    grants: () => grants.values(),
    isSuspended: (addonId) => rows.get(addonSubject(addonId))?.open === false,
    refusalOf({ grantId, addonId, userId, subject }, more) {
      const guarded = { grantId, addonId, userId, subject, ...more };
      // A suspension would hide other, permanent reasons.
      const lasting = fenceSubjectsOf(guarded).filter((of) => of !== addonSubject(addonId));
      const found = lasting.flatMap((of) => rows.get(of) ?? []);
      return judgeFence(guarded, found);
    },
    showsOwn(organizationId, addonId) {
      const activation = rows.get(activationSubject(organizationId, addonId));
      return (
        !activation || (activation.open && rows.get(organizationSubject(organizationId))?.open !== false)
      );
    },
  };
};

const tokenIn = (issued: RecordedEvent, terms: GrantTerms) => {
  const { event } = issued;
  if (event.type !== 'AuthorizationCodeRedeemed' && event.type !== 'TokensRefreshed') return null;
  const { accessExpiresAt: expiresAt, refreshIdleExpiresAt: renewableUntil, resources } = event.data;
  const isFirst = event.type === 'AuthorizationCodeRedeemed';
  const token: IssuedToken = {
    terms,
    rotation: isFirst ? 0 : event.data.rotation,
    scopes: isFirst ? terms.scopes : event.data.scopes,
    ownApi: audienceAmong(terms.resources, resources).ownApi,
    issued,
    expiresAt,
  };
  return { token, renewableUntil, absoluteUntil: isFirst ? event.data.refreshAbsoluteExpiresAt : null };
};

export const accessTypes: ReadonlySet<string> = new Set([
  ...fenceEventTypes,
  'AuthorizationCodeIssued',
  'AuthorizationCodeRedeemed',
  'TokensRefreshed',
]);
