import { activationSubject, organizationSubject } from '../../domain/fence/fence.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { accessTypes, makeAccessFold, type IssuedToken } from '../access/access-fold.ts';
import { recordChangeIn } from '../../domain/records/record-change.ts';
import type { Decode } from '../read-events.ts';
import { makeHeldTokens, type Edge, type Held } from './held-tokens.ts';
import { makeRecordBook, type ListOfRecords, type View } from './record-book.ts';

export type Subject = { readonly kind: 'organization' | 'user'; readonly id: string };

export type { Edge };

/** A scope of a subject that at least one access token opened without interruption. */
export type Interval = {
  readonly subject: Subject;
  readonly scope: Scope;
  readonly opened: Edge;
  readonly closed: Edge | null;
  /** How many different records could be read within the window; null for a scope that opens no list. */
  readonly records: number | null;
};

/** An access token that was accepted at some time within the window; never its text. */
export type TokenInUse = {
  readonly token: IssuedToken;
  /** When it last stopped being accepted before its expiry; null where it only expired. */
  readonly closed: Edge | null;
};

export type Exposure = {
  /** In the order in which they ended. */
  readonly intervals: readonly Interval[];
  readonly intervalsInAll: number;
  readonly tokens: readonly TokenInUse[];
  readonly tokensInAll: number;
  readonly grantIds: readonly string[];
};

export type ExposureRequest = {
  readonly organizationId: string;
  readonly addonId: string;
  /** Both inclusive, of the log's clock: milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  readonly skip: number;
  readonly limit: number;
};

const listOf: Readonly<Record<Scope, ListOfRecords | null>> = {
  openid: null,
  profile: null,
  email: null,
  ...eachRecord('scope', ({ table }) => table),
};

const scopeOf = eachRecord('table', ({ scope }) => scope);

const keyOf = ({ kind, id }: Subject, scope: Scope): string => `${kind} ${id} ${scope}`;

type Open = {
  readonly subject: Subject;
  readonly scope: Scope;
  readonly opened: Edge;
  tokens: number;
  records: number;
  /** The record book's clock when the counting began. */
  since: number;
};

/** What a user's own token depends on besides the fence: whether a profile of the organization belongs to the user. */
const profilesOf = (userId: string): string => `profiles ${userId}`;

/** Follows the log up to the window's end, and judges the tokens that each event concerns, and each token when it expires. */
export const makeExposureFold = ({ organizationId, addonId, from, to, skip, limit }: ExposureRequest) => {
  const access = makeAccessFold(
    (terms) =>
      terms.addonId === addonId &&
      (terms.subject.kind === 'user' || terms.subject.organizationId === organizationId),
  );
  const book = makeRecordBook();
  const behindOwn = [activationSubject(organizationId, addonId), organizationSubject(organizationId)];
  const held = makeHeldTokens(({ terms: { subject } }) =>
    subject.kind === 'user' ? [...behindOwn, profilesOf(subject.userId)] : [],
  );
  const open = new Map<string, Open>();
  const intervals: Interval[] = [];
  const tokens: TokenInUse[] = [];
  const grantIds = new Set<string>();
  const count = { intervals: 0, tokens: 0 };
  let inWindow = false;
  let time = -Infinity;

  const keep = <T>(kept: T[], which: keyof typeof count, one: () => T) => {
    if (count[which] >= skip && kept.length < limit) kept.push(one());
    count[which] += 1;
  };
  const subjectOf = ({ terms: { subject } }: IssuedToken): Subject =>
    subject.kind === 'organization'
      ? { kind: 'organization', id: subject.organizationId }
      : { kind: 'user', id: subject.userId };
  const subjectOfView = ({ userId }: View): Subject =>
    userId === null ? { kind: 'organization', id: organizationId } : { kind: 'user', id: userId };
  const userIn = ({ kind, id }: Subject): string | null => (kind === 'user' ? id : null);
  const total = ({ subject, scope }: Pick<Open, 'subject' | 'scope'>): number => {
    const list = listOf[scope];
    return list === null ? 0 : book.total({ list, userId: userIn(subject) });
  };

  const isAccepted = (token: IssuedToken): boolean => {
    const { terms, rotation, ownApi, expiresAt } = token;
    if (!ownApi || time >= expiresAt || access.isSuspended(addonId)) return false;
    if (access.refusalOf(terms, { rotation }) !== null) return false;
    if (terms.subject.kind === 'organization') return true;
    // A user's own token opens nothing of an organization that deactivated the add-on, or has no profile of the user
    // (ADR 5).
    return book.knows(terms.subject.userId) && access.showsOwn(organizationId, addonId);
  };
  const begin = (subject: Subject, scope: Scope, opened: Edge) => {
    const key = keyOf(subject, scope);
    const known = open.get(key);
    if (known) known.tokens += 1;
    else {
      const records = total({ subject, scope });
      open.set(key, { subject, scope, opened, tokens: 1, records, since: book.now() });
    }
  };
  const finish = (key: string, { subject, scope, opened, records }: Open, closed: Edge | null) => {
    open.delete(key);
    if (closed !== null && closed.at < from) return;
    const counted = listOf[scope] === null ? null : records;
    keep(intervals, 'intervals', () => ({ subject, scope, opened, closed, records: counted }));
  };
  const end = (subject: Subject, scope: Scope, closed: Edge) => {
    const key = keyOf(subject, scope);
    const known = open.get(key);
    if (!known) return;
    known.tokens -= 1;
    if (known.tokens === 0) finish(key, known, closed);
  };

  /** Tokens that become accepted come first, so that an interval continues when one token takes over from another. */
  const judge = (concerned: readonly Held[], edge: Edge) => {
    const changed = concerned.filter((one) => one.isOpen !== isAccepted(one.token));
    for (const one of changed.filter(({ isOpen }) => !isOpen)) {
      one.isOpen = true;
      one.inWindow ||= inWindow;
      for (const scope of one.token.scopes) begin(subjectOf(one.token), scope, edge);
    }
    for (const one of changed.filter(({ token }) => !isAccepted(token))) {
      one.isOpen = false;
      if (edge.event) one.closed = edge;
      for (const scope of one.token.scopes) end(subjectOf(one.token), scope, edge);
    }
  };
  const drop = (one: Held) => {
    if (!one.inWindow) return;
    grantIds.add(one.token.terms.grantId);
    keep(tokens, 'tokens', () => ({ token: one.token, closed: one.closed }));
  };
  const enterWindow = () => {
    inWindow = true;
    for (const one of held.all()) one.inWindow ||= one.isOpen;
    for (const one of open.values()) {
      one.records = total(one);
      one.since = book.now();
    }
  };
  const goTo = (instant: number) => {
    time = Math.max(time, instant);
    if (!inWindow && time >= from) enterWindow();
  };
  const advance = (until: number) => {
    for (let at = held.nextExpiry(); at <= until; at = held.nextExpiry()) {
      goTo(at);
      const expired = held.takeExpired(time);
      judge(expired, { at, event: null });
      for (const one of expired) drop(one);
    }
    goTo(until);
  };

  return {
    /** @param decode called only for the events that are used */
    async apply(stored: StoredEvent, decode: Decode): Promise<void> {
      const change = recordChangeIn(stored);
      if (!change && !accessTypes.has(stored.type)) return;
      const recorded = change ? null : await decode(stored);
      advance(stored.created);
      const edge = { at: time, event: stored };
      if (change) {
        const { entered, users } = book.apply(change);
        for (const { view, leftAt } of entered) {
          const one = open.get(keyOf(subjectOfView(view), scopeOf[view.list]));
          if (one && leftAt < one.since) one.records += 1;
        }
        judge(held.concerned(users.map(profilesOf)), edge);
        return;
      }
      const { token, subject } = recorded ? access.apply(recorded) : { token: null, subject: null };
      if (subject !== null) judge(held.concerned([subject]), edge);
      if (token !== null) judge([held.add(token)], edge);
    },
    /** Called when no more events can come within the window. */
    finish(): Exposure {
      advance(to);
      for (const [key, one] of open) finish(key, one, null);
      for (const one of held.all()) drop(one);
      return {
        intervals,
        intervalsInAll: count.intervals,
        tokens,
        tokensInAll: count.tokens,
        grantIds: [...grantIds],
      };
    },
  };
};

/** What could be read in a window, by the events that the add-on's access depends on, in the log's order up to the window's end. */
export const exposure = async (
  {
    events,
    decode,
    passed,
  }: {
    readonly events: AsyncIterable<StoredEvent>;
    readonly decode: Decode;
    readonly passed?: Passed | undefined;
  },
  request: ExposureRequest,
): Promise<Exposure> => {
  const fold = makeExposureFold(request);
  for await (const stored of events) {
    passed?.(stored);
    await fold.apply(stored, decode);
  }
  return fold.finish();
};

export type Passed = (event: Pick<StoredEvent, 'created'>) => void;
