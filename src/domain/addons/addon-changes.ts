import { english } from '../../common/words.ts';
import { type AddonChange, type AddonEvent, type AddonState, type ProposedChange } from './addon.ts';
import type { Account } from '../people/account.ts';
import { isMember, type Publisher } from '../publishers/publisher.ts';
import { afterwards, unchanged, updateAddon, updateProblems } from './addon-update.ts';
import {
  accept,
  refuse,
  type Decision,
  type At,
  type Instant,
  type FieldProblem,
} from '../kernel/decision.ts';
import { webAddresses } from './web-addresses.ts';

/** As many wait for an operator at once as somebody can look through. */
export const mostWaiting = 20;

type Registered = Exclude<AddonState, { readonly status: 'unregistered' }>;

const isEmpty = (change: ProposedChange): boolean =>
  Object.values(change).every((value) => value === null || value.length === 0);

/** What does not fit the add-on as it is now: each field has to change something. */
export const changeProblems = (addon: AddonState, change: ProposedChange): readonly FieldProblem[] => {
  if (addon.status === 'unregistered') return [];
  return [
    ...updateProblems(addon, { ...unchanged, ...change }),
    ...there('addRedirectUri', change.addRedirectUris, addon.redirectUris),
    ...there('addPostLogoutRedirectUri', change.addPostLogoutRedirectUris, addon.postLogoutRedirectUris),
    ...(['configurationUrl', ...webAddresses] as const).flatMap((field) =>
      change[field] !== null && change[field] === addon[field]
        ? [{ field, message: english.problems.sameAddress }]
        : [],
    ),
  ];
};

const there = (
  field: string,
  added: readonly string[],
  present: readonly string[],
): readonly FieldProblem[] =>
  added.flatMap((uri, index) =>
    present.includes(uri) ? [{ field: `${field}[${index}]`, message: english.problems.alreadyThere }] : [],
  );

const changeable = ['redirectUris', 'configurationUrl', 'postLogoutRedirectUris', ...webAddresses] as const;

/** A field that a change would change. */
export type Difference = {
  readonly field: (typeof changeable)[number];
  /** Empty: it has none. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Those of `after` whose host (with a port, if one is given) or private-use scheme none of `before` has. */
  readonly withNewHost: readonly string[];
};

/** What a proposal would change about the add-on as it is. */
export const differencesIn = (addon: AddonState, change: ProposedChange): readonly Difference[] => {
  if (addon.status === 'unregistered') return [];
  const changed = afterwards(addon, { ...unchanged, ...change });
  return changeable.flatMap((field) => {
    const [before, after] = [addon, changed].map((one) => [one[field] ?? []].flat()) as [string[], string[]];
    const known = new Set(before.map(hostOf));
    const withNewHost = after.filter((uri) => !known.has(hostOf(uri)));
    const isSame = before.length === after.length && after.every((uri) => before.includes(uri));
    return isSame ? [] : [{ field, before, after, withNewHost }];
  });
};

/** The scheme of an app counts alone, whatever follows it. A host that is none to a browser counts as it is spelled. */
const hostOf = (uri: string): string => {
  const [, scheme = '', host = ''] = /^([^:]*:)(?:\/\/([^/?]*))?/.exec(uri) ?? [];
  if (!/^https?:$/.test(scheme)) return scheme;
  return URL.canParse(uri) ? new URL(uri).host : host.toLowerCase();
};

type Gone = 'addon-unknown' | 'addon-retired';
export type ProposalRefusal = Gone | 'change-empty' | 'change-invalid' | 'too-many-changes';

/** A member of the publisher proposes a change; it waits for an operator. The same id again changes nothing. */
export const requestChange = (
  addon: AddonState,
  { changeId, by, now, change }: At<'changeId' | 'by'> & { readonly change: ProposedChange },
): Decision<AddonEvent, ProposalRefusal> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (addon.changes.some((known) => known.changeId === changeId)) return accept();
  if (isEmpty(change)) return refuse('change-empty');
  if (changeProblems(addon, change).length > 0) return refuse('change-invalid');
  if (addon.changes.filter(isWaiting).length >= mostWaiting) return refuse('too-many-changes');
  return accept({ type: 'AddonChangeRequested', data: { changeId, by, ...change, at: now } });
};

/** When a proposal ended with the rights of its author, permanently, although they may be given again; null: it has not. */
export const proposalEndedAt = (
  { by, requestedAt }: AddonChange,
  { publisher, author }: { readonly publisher: Publisher; readonly author: Account },
): Instant | null => {
  const ends = [
    publisher.status === 'created' ? (publisher.leftAt[by] ?? null) : null,
    author.status === 'absent' ? null : author.disabledAt,
  ];
  const ended = ends.filter((at) => at !== null && at >= requestedAt);
  if (ended.length > 0) return Math.min(...(ended as Instant[]));
  return isMember(publisher, by) && author.status === 'enabled' ? null : requestedAt;
};

const isWaiting = ({ state }: AddonChange): boolean => state === 'waiting';

export type DecisionRefusal = 'addon-unknown' | 'change-unknown' | 'change-decided';

const waitingIn = (
  addon: AddonState,
  changeId: string,
): { readonly addon: Registered; readonly change: AddonChange } | DecisionRefusal => {
  if (addon.status === 'unregistered') return 'addon-unknown';
  const change = addon.changes.find((known) => known.changeId === changeId);
  if (!change) return 'change-unknown';
  return isWaiting(change) ? { addon, change } : 'change-decided';
};

export type ApprovalRefusal =
  | DecisionRefusal
  | 'addon-retired'
  /** Another person has to approve it. */
  | 'own-change'
  /** It has ended: its author has left the publisher since, or was disabled. */
  | 'author-not-a-member'
  /** It no longer fits; `changeProblems` says why. */
  | 'change-outdated'
  /** What it changes is not what was shown. */
  | 'changed-meanwhile';

/**
 * Applies a waiting change. @param isOwn whether it is approved by who proposed it @param endedAt when it ended; null: its author is a member
 * still @param isAsShown whether it changes what was shown to who approves it
 */
export const approveChange = (
  addon: AddonState,
  {
    changeId,
    isOwn,
    endedAt,
    isAsShown,
    now,
  }: At<'changeId'> & {
    readonly isOwn: boolean;
    readonly endedAt: (change: AddonChange) => Instant | null;
    readonly isAsShown: (addon: AddonState, change: AddonChange) => boolean;
  },
): Decision<AddonEvent, ApprovalRefusal> => {
  if (addon.status === 'retired') return refuse('addon-retired');
  const found = waitingIn(addon, changeId);
  if (typeof found === 'string') return refuse(found);
  const { change } = found;
  if (isOwn) return refuse('own-change');
  if (endedAt(change) !== null) return refuse('author-not-a-member');
  if (changeProblems(addon, proposedIn(change)).length > 0) return refuse('change-outdated');
  if (!isAsShown(addon, change)) return refuse('changed-meanwhile');
  const { events } = updateAddon(addon, { ...unchanged, ...proposedIn(change), now });
  return accept<AddonEvent>(...events, { type: 'AddonChangeApproved', data: { changeId, at: now } });
};

export const proposedIn = (change: AddonChange): ProposedChange => {
  const {
    changeId: _1,
    by: _2,
    publisherId: _3,
    requestedAt: _4,
    state: _5,
    decidedAt: _6,
    reason: _7,
    ...proposed
  } = change;
  return proposed;
};

/** An operator refuses a waiting change. @param reason for the publisher */
export const refuseChange = (
  addon: AddonState,
  {
    changeId,
    reason,
    now,
  }: { readonly changeId: string; readonly reason: string | null; readonly now: Instant },
): Decision<AddonEvent, DecisionRefusal> => {
  const found = waitingIn(addon, changeId);
  return typeof found === 'string'
    ? refuse(found)
    : accept({ type: 'AddonChangeRefused', data: { changeId, reason, at: now } });
};

export const withdrawChange = (
  addon: AddonState,
  { changeId, now }: At<'changeId'>,
): Decision<AddonEvent, DecisionRefusal> => {
  const found = waitingIn(addon, changeId);
  return typeof found === 'string'
    ? refuse(found)
    : accept({ type: 'AddonChangeWithdrawn', data: { changeId, at: now } });
};

/**
 * Gives the add-on to a publisher, whose name it shows from then on, or to none (`publisherId` null). What members of the publisher
 * before have proposed is withdrawn.
 */
export const setPublisher = (
  addon: AddonState,
  {
    publisherId,
    name,
    now,
  }: { readonly publisherId: string | null; readonly name: string | null; readonly now: Instant },
): Decision<AddonEvent, Gone> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  const named = nameOfPublisher(addon, { name, now });
  if (addon.publisherId === publisherId) return accept(...named);
  return accept<AddonEvent>(
    ...addon.changes
      .filter(isWaiting)
      .map(({ changeId }): AddonEvent => ({ type: 'AddonChangeWithdrawn', data: { changeId, at: now } })),
    { type: 'AddonPublisherSet', data: { publisherId, at: now } },
    ...named,
  );
};

/** The add-on shows the name that its publisher has now; nothing where it is another's, or retired. */
export const followPublisher = (
  addon: AddonState,
  { publisherId, name, now }: At<'publisherId' | 'name'>,
): Decision<AddonEvent> =>
  addon.status === 'unregistered' || addon.status === 'retired' || addon.publisherId !== publisherId
    ? accept()
    : accept(...nameOfPublisher(addon, { name, now }));

const nameOfPublisher = (
  addon: Registered,
  { name, now }: { readonly name: string | null; readonly now: Instant },
): readonly AddonEvent[] => {
  if (name === null || addon.publisher === name) return [];
  const update = { ...unchanged, publisher: name, now };
  return updateAddon({ ...addon, publisherId: null }, update).events;
};
