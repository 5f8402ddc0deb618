import type { Instant } from '../kernel/decision.ts';
import { splitId } from '../kernel/stream-name.ts';

/** Whom a notice is about: within a stream and queue they come in order, one at a time, so no older state comes last (SG-06). */
export type NoticeQueue = `organization:${string}` | `user:${string}` | 'addon' | 'stream';

/** The event types that we define; the others are of CAEP, RISC, OAuth Event Types and SSF. */
export const ownNames = [
  'addon-activated',
  'addon-deactivated',
  'addon-suspended',
  'addon-resumed',
  'approval-changed',
  'secret-rotated',
  'registration-changed',
] as const;
export type OwnName = (typeof ownNames)[number];
type StandardName =
  | 'sessionRevoked'
  | 'accountDisabled'
  | 'accountEnabled'
  | 'accountPurged'
  | 'tokenRevoked'
  | 'tokensRevoked'
  | 'streamUpdated';

type NoticeSubject =
  | { readonly kind: 'addon' | 'stream'; readonly id: string }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'grant'; readonly grantId: string }
  | {
      readonly kind: 'activation';
      readonly organizationId: string;
      readonly addonId: string;
      readonly userId?: string;
    };

type Payload = Readonly<Record<string, unknown>>;

/** What one add-on is notified of, as far as the event decides it: `src/signals` makes a SET of it (RFC 8417). */
export type Notice = {
  readonly addonId: string;
  readonly queue: NoticeQueue;
  readonly subject: NoticeSubject;
} & (
  | { readonly event: StandardName; readonly payload: Payload }
  /** Says why, and `src/signals` adds when and where in the log. */
  | { readonly event: OwnName; readonly payload: Payload & { readonly reason: string } }
);

/** Whose a grant is. */
export type GrantHolder = {
  readonly addonId: string;
  /** Null for a grant of the user's own records. */
  readonly organizationId: string | null;
  readonly userId: string;
};

/** An add-on that ever held a grant of a user. */
export type Holder = {
  readonly addonId: string;
  /** One of them was for the user's own records; the others are organizations' grants that the user allowed. */
  readonly own: boolean;
};

/** What happened before the event, as far as it decides whom to notify. */
export type Past = {
  /** Null where its code was never redeemed: the add-on has nothing of it. */
  grant(grantId: string): GrantHolder | null;
  holders(userId: string): readonly Holder[];
};

/** What the event's data do not contain. */
export type NoticeContext = {
  /** The part of the stream's name after the first dash. */
  readonly streamId: string;
  readonly actor: string | undefined;
  readonly past: Past;
};

/** NumericDate (RFC 7519 §2). */
export const inSeconds = (instant: Instant): number => Math.floor(instant / 1000);

const queueOf = (organizationId: string | null, userId: string): NoticeQueue =>
  organizationId === null ? `user:${userId}` : `organization:${organizationId}`;

/** About the add-on of the stream. */
export const aboutAddon =
  <D>(event: OwnName, payload: (data: D) => Payload & { readonly reason: string }) =>
  (data: D, { streamId }: NoticeContext): readonly Notice[] => [
    {
      addonId: streamId,
      queue: 'addon',
      subject: { kind: 'addon', id: streamId },
      event,
      payload: payload(data),
    },
  ];

/** The fields as the command line and the API name them, without their values: names may be people's. */
export const changed = (fields: readonly string[], reason = 'The registration was changed.') =>
  aboutAddon('registration-changed', () => ({ changed: fields, reason }));

export const switched =
  (event: 'addon-activated' | 'addon-deactivated', reason: string) =>
  ({
    organizationId,
    addonId,
    epoch,
  }: {
    readonly organizationId: string;
    readonly addonId: string;
    readonly epoch: number;
  }): readonly Notice[] => [
    {
      addonId,
      queue: `organization:${organizationId}`,
      subject: { kind: 'activation', organizationId, addonId },
      event,
      payload: { organization_id: organizationId, epoch, reason },
    },
  ];

type Approval = { readonly userId: string; readonly addonId: string };

/** Null where the approval is for the user's own records. */
const organizationOf = ({ userId }: Approval, { streamId }: NoticeContext): string | null => {
  const [subjectId] = splitId(streamId);
  return subjectId === userId ? null : subjectId;
};

const approvalChanged = (
  data: Approval,
  context: NoticeContext,
  payload: Payload & { readonly reason: string },
): Notice => {
  const { userId, addonId } = data;
  const organizationId = organizationOf(data, context);
  return {
    addonId,
    queue: queueOf(organizationId, userId),
    subject:
      organizationId === null
        ? { kind: 'user', userId }
        : { kind: 'activation', organizationId, addonId, userId },
    event: 'approval-changed',
    payload: { ...(organizationId !== null && { organization_id: organizationId }), ...payload },
  };
};

export const approved = (
  data: Approval & { readonly scopes: readonly string[]; readonly audience?: string },
  context: NoticeContext,
): readonly Notice[] => [
  approvalChanged(data, context, {
    change: 'approved',
    scopes: data.scopes,
    ...('audience' in data && { audience: data.audience }),
    reason: 'The user allowed these scopes.',
  }),
];

/** For own records it ends the access (RT-17), if there was any. Of an organization only the approval ends: grants stay (AC-03). */
export const withdrawn = (
  data: Approval & { readonly at: Instant },
  context: NoticeContext,
): readonly Notice[] => {
  const { addonId, userId, at } = data;
  const had = context.past.holders(userId).some((holder) => holder.own && holder.addonId === addonId);
  const ended = organizationOf(data, context) === null && had;
  return [
    ...(ended
      ? [sessionRevoked(addonId, userId, at, context, 'The user withdrew the consent to the add-on.')]
      : []),
    approvalChanged(data, context, {
      change: 'withdrawn',
      scopes: [],
      reason: 'The user withdrew the approval.',
    }),
  ];
};

const aboutUser = (addonId: string, userId: string, event: StandardName, payload: Payload = {}): Notice => ({
  addonId,
  queue: `user:${userId}`,
  subject: { kind: 'user', userId },
  event,
  payload,
});

/** CAEP 1.0 §3.1, with the members of §2: the reason is for administrators, by language. */
const sessionRevoked = (
  addonId: string,
  userId: string,
  at: Instant,
  { actor }: NoticeContext,
  reason: string,
): Notice =>
  aboutUser(addonId, userId, 'sessionRevoked', {
    event_timestamp: inSeconds(at),
    initiating_entity: actor === userId ? 'user' : 'admin',
    reason_admin: { en: reason },
  });

/** RISC 1.0: to every add-on that ever held a grant of the user, and to no other. */
export const toHolders =
  (event: StandardName) =>
  (_data: unknown, { streamId, past }: NoticeContext): readonly Notice[] =>
    past.holders(streamId).map(({ addonId }) => aboutUser(addonId, streamId, event));

/** The user can no longer sign in to the add-on, and own-record grants ended (RT-17). RISC's `reason` knows only hijacking and bulk. */
export const disabled = (data: { readonly at: Instant }, context: NoticeContext): readonly Notice[] => [
  ...toHolders('accountDisabled')(data, context),
  ...context.past
    .holders(context.streamId)
    .map(({ addonId }) =>
      sessionRevoked(addonId, context.streamId, data.at, context, "The user's account was disabled."),
    ),
];

/** About the grant of the stream. */
export const aboutGrant = (
  { streamId: grantId, past }: NoticeContext,
  event: 'tokenRevoked' | 'tokensRevoked',
  payload: Payload,
): readonly Notice[] => {
  const grant = past.grant(grantId);
  if (grant === null) return [];
  const { addonId, organizationId, userId } = grant;
  return [
    { addonId, queue: queueOf(organizationId, userId), subject: { kind: 'grant', grantId }, event, payload },
  ];
};
