import type { GrantSubject } from '../access/grant.ts';
import { categoryOf, idOf, splitId } from '../kernel/stream-name.ts';

/**
 * One row of the fence: whether a subject that tokens depend on may still act. Commands write it (after their append,
 * before their answer), and so does the projector, with the same monotone statement; a lower revision never wins.
 */
export type FenceRow = {
  /** `activation:…`, `organization:…`, `grant:…`, `access:…`, `account:…`, `consent:…` or `addon:…`. */
  readonly subject: FenceSubject;
  /** Revision of the event in its stream; decides which of two writes is newer. */
  readonly revision: bigint;
  /** Epoch of an activation, or how often an account was disabled or a consent withdrawn; 0 for everything else. */
  readonly epoch: number;
  readonly open: boolean;
  /**
   * Set where the row stands for a parked event: its content is not known, so the subject is closed, whatever its other
   * row says. Such rows are only read; they are removed when an operator has retried or skipped the event (ADR 20).
   */
  readonly parked?: boolean;
};

export const activationSubject = (organizationId: string, addonId: string) =>
  `activation:${organizationId}.${addonId}` as const;
/** Closed permanently with the organization: no activation for it counts any more (ADR 104). */
export const organizationSubject = (organizationId: string) => `organization:${organizationId}` as const;
export const grantSubject = (grantId: string) => `grant:${grantId}` as const;
/** One access token: a grant's rotation (RV-05). */
export const accessSubject = (grantId: string, rotation: number) => `access:${grantId}.${rotation}` as const;
export const accountSubject = (userId: string) => `account:${userId}` as const;
/** What a user allowed an add-on to read of the user's own data. */
export const consentSubject = (userId: string, addonId: string) => `consent:${userId}.${addonId}` as const;
export const addonSubject = (addonId: string) => `addon:${addonId}` as const;

export type FenceSubject =
  | ReturnType<typeof activationSubject>
  | ReturnType<typeof organizationSubject>
  | ReturnType<typeof grantSubject>
  | ReturnType<typeof accessSubject>
  | ReturnType<typeof accountSubject>
  | ReturnType<typeof consentSubject>
  | ReturnType<typeof addonSubject>;

type KindOf<Subject> = Subject extends `${infer Kind}:${string}` ? Kind : never;

/** The category of the streams whose events close and open the subjects of each kind. */
const categories: Readonly<Record<KindOf<FenceSubject>, string>> = {
  activation: 'activation',
  organization: 'organization',
  grant: 'grant',
  access: 'grant',
  account: 'account',
  consent: 'consent',
  addon: 'addon',
};

/** The stream whose events close and open the subject. */
export const streamOfSubject = (subject: FenceSubject): string => {
  const [kind, id = ''] = subject.split(':') as [KindOf<FenceSubject>, string?];
  return `${categories[kind]}-${kind === 'access' ? splitId(id)[0] : id}`;
};

/** Categories of streams whose id is also the id of a subject. */
const inFence: ReadonlySet<string> = new Set(Object.values(categories));

/** The subject that is closed while an event of this stream is parked, by the stream's name; null where no token depends on it. */
export const subjectOfStream = (stream: string): FenceSubject | null => {
  const [category, id] = [categoryOf(stream), idOf(stream)];
  return inFence.has(category) && id !== '' ? (`${category}:${id}` as FenceSubject) : null;
};

export type FenceRefusal =
  | 'on-hold'
  | 'addon-deactivated'
  | 'addon-suspended'
  | 'token-revoked'
  | 'account-disabled'
  | 'consent-withdrawn';

/** The refusal that a client gets for a code or a refresh token when the fence is closed. */
export const asGrantRefusal = (refusal: FenceRefusal) =>
  refusal === 'token-revoked' ? 'grant-revoked' : refusal;

/** What a credential depends on. `rotation` is absent where no access token is meant (code, refresh). */
export type Guarded = {
  readonly grantId: string;
  readonly addonId: string;
  readonly userId: string;
  readonly subject: GrantSubject;
  readonly rotation?: number;
  /** Whether the approving user's account counts for an organization's grant too: only at the exchange (TC-15, AC-03). */
  readonly needsApprover?: boolean;
};

/** The rows that decide about a credential, to be read in one snapshot. */
export const fenceSubjectsOf = (guarded: Guarded): readonly FenceSubject[] => {
  const { grantId, addonId, subject, rotation } = guarded;
  const accountId = accountOf(guarded);
  return [
    addonSubject(addonId),
    grantSubject(grantId),
    ...(rotation === undefined ? [] : [accessSubject(grantId, rotation)]),
    ...(subject.kind === 'organization'
      ? [activationSubject(subject.organizationId, addonId), organizationSubject(subject.organizationId)]
      : [consentSubject(subject.userId, addonId)]),
    ...(accountId === null ? [] : [accountSubject(accountId)]),
  ];
};

/** The account that a credential depends on, if any: an organization's integration outlives its administrator (AC-03). */
const accountOf = ({ userId, subject, needsApprover }: Guarded): string | null => {
  if (subject.kind === 'user') return subject.userId;
  return needsApprover ? userId : null;
};

/** Whether the subject is closed at the moment, for any reason. A subject without a row is not closed. */
export const isClosed = (rows: readonly FenceRow[], subject: FenceSubject): boolean =>
  rows.some((row) => row.subject === subject && (!row.open || row.parked));

/**
 * Judges a credential by the rows that exist: no activation row is closed, any other is epoch 0; another epoch is refused (P1, P2).
 * A parked subject comes first: it is temporary and ends nothing. @returns why it is refused; null when open
 */
export const judgeFence = (guarded: Guarded, rows: readonly FenceRow[]): FenceRefusal | null => {
  const row = (subject: FenceSubject) =>
    rows.find((candidate) => candidate.subject === subject && !candidate.parked);
  const closed = (subject: FenceSubject) => row(subject)?.open === false;
  const epochOf = (subject: FenceSubject) => row(subject)?.epoch ?? 0;
  const { addonId, grantId, subject, rotation } = guarded;
  if (rows.some(({ parked, subject: held }) => parked && fenceSubjectsOf(guarded).includes(held)))
    return 'on-hold';
  if (subject.kind === 'organization') {
    const activation = row(activationSubject(subject.organizationId, addonId));
    if (!activation?.open || activation.epoch !== subject.epoch) return 'addon-deactivated';
    if (closed(organizationSubject(subject.organizationId))) return 'addon-deactivated';
  }
  if (closed(addonSubject(addonId))) return 'addon-suspended';
  if (closed(grantSubject(grantId))) return 'token-revoked';
  if (rotation !== undefined && closed(accessSubject(grantId, rotation))) return 'token-revoked';
  const accountId = accountOf(guarded);
  if (accountId !== null && closed(accountSubject(accountId))) return 'account-disabled';
  if (subject.kind === 'user') {
    // Both counts only grow, and their sum was the subject's epoch when the code was issued. So any other sum is a
    // later one.
    const epoch = epochOf(consentSubject(subject.userId, addonId)) + epochOf(accountSubject(subject.userId));
    if (epoch !== subject.epoch) return 'consent-withdrawn';
  }
  return null;
};

/** The port to the fence. `write` returns after its commit; `read` sees everything committed before the call. */
export type Fence = {
  write(rows: readonly FenceRow[]): Promise<void>;
  read(subjects: readonly FenceSubject[]): Promise<readonly FenceRow[]>;
};
