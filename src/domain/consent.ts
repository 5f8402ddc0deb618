import { accept, type Decider, type Decision, type Instant } from './decision.ts';
import { isWithin, type Scope, scopes } from './scope.ts';

/**
 * What a user approved for an add-on, per subject (AC-05). `epoch` of an approval is the subject's (`GrantSubject`): an
 * approval of an older epoch counts for nothing (S5). That of a withdrawal counts this user's withdrawals from 1.
 */
export type ConsentEvent =
  | {
      readonly type: 'ScopesApproved';
      readonly data: {
        readonly userId: string;
        readonly addonId: string;
        readonly scopes: readonly Scope[];
        readonly epoch: number;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'ConsentWithdrawn';
      readonly data: {
        readonly userId: string;
        readonly addonId: string;
        readonly epoch: number;
        readonly at: Instant;
      };
    };

/** What each user approved last, within the epoch that it was approved in, and how often it was withdrawn; by user id. */
export type Consent = {
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly withdrawals: ReadonlyMap<string, number>;
};
type Approval = { readonly epoch: number; readonly scopes: readonly Scope[] };

export const consentDecider: Decider<Consent, ConsentEvent> = {
  initial: { approvals: new Map(), withdrawals: new Map() },
  evolve: ({ approvals, withdrawals }, event) => {
    const { userId, epoch } = event.data;
    switch (event.type) {
      case 'ScopesApproved': {
        const before = rememberedScopes({ approvals }, { userId, epoch });
        const approved = scopes.filter(
          (scope) => before.includes(scope) || event.data.scopes.includes(scope),
        );
        return { withdrawals, approvals: new Map(approvals).set(userId, { epoch, scopes: approved }) };
      }
      case 'ConsentWithdrawn':
        return {
          approvals: new Map([...approvals].filter(([approver]) => approver !== userId)),
          withdrawals: new Map(withdrawals).set(userId, epoch),
        };
    }
  },
};

type Asking = { readonly userId: string; readonly epoch: number };

/** What this user approved in this epoch; an approval of another epoch counts for nothing (S5, DE-05). */
export const rememberedScopes = (
  { approvals }: Pick<Consent, 'approvals'>,
  { userId, epoch }: Asking,
): readonly Scope[] => {
  const approval = approvals.get(userId);
  return approval?.epoch === epoch ? approval.scopes : [];
};

export const withdrawalsOf = ({ withdrawals }: Consent, userId: string): number =>
  withdrawals.get(userId) ?? 0;

/** Remembers an approval. Approving what is remembered already changes nothing. */
export function approveScopes(
  consent: Consent,
  {
    now,
    ...approved
  }: Asking & {
    readonly addonId: string;
    readonly scopes: readonly Scope[];
    readonly now: Instant;
  },
): Decision<ConsentEvent> {
  const news = !isWithin(approved.scopes, rememberedScopes(consent, approved));
  // An approval of no scope at all is remembered too: the next authorize need not ask again (AZ-37).
  if (!news && consent.approvals.get(approved.userId)?.epoch === approved.epoch) return accept();
  return accept({ type: 'ScopesApproved', data: { ...approved, at: now } });
}

/** Forgets what this user approved. Where nothing is remembered, nothing changes. */
export function withdrawConsent(
  consent: Consent,
  { now, ...whose }: { readonly userId: string; readonly addonId: string; readonly now: Instant },
): Decision<ConsentEvent> {
  if (!consent.approvals.has(whose.userId)) return accept();
  const epoch = withdrawalsOf(consent, whose.userId) + 1;
  return accept({ type: 'ConsentWithdrawn', data: { ...whose, epoch, at: now } });
}
