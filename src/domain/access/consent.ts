import { ownApi } from './audience.ts';
import { accept, type Decider, type Decision, type Instant, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { consentEvents } from './events.ts';
import { isWithin, type Scope, scopes } from './scope.ts';

export type ConsentEvent = EventsIn<typeof consentEvents>;

/** The last approvals of each user with their epoch, and how often the user withdrew; by user id. */
export type Consent = {
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly withdrawals: ReadonlyMap<string, number>;
};
/** The approved scopes by audience; `ownApi` for our own API. */
type Approval = {
  readonly epoch: number;
  readonly choice: string | null;
  readonly scopesAt: ReadonlyMap<string, readonly Scope[]>;
  /** Of the last one. */
  readonly at: Instant;
};

export const consentDecider: Decider<Consent, ConsentEvent> = {
  initial: { approvals: new Map(), withdrawals: new Map() },
  evolve: ({ approvals, withdrawals }, event) => {
    const { userId, epoch } = event.data;
    switch (event.type) {
      case 'ScopesApproved':
        return { withdrawals, approvals: approved(approvals, ownApi, event.data) };
      case 'AudienceApproved':
        return { withdrawals, approvals: approved(approvals, event.data.audience, event.data) };
      case 'ConsentWithdrawn':
        return {
          approvals: new Map([...approvals].filter(([approver]) => approver !== userId)),
          withdrawals: new Map(withdrawals).set(userId, epoch),
        };
    }
  },
};

/** Adds to an approval of the same epoch. Approvals of another epoch are dropped. */
const approved = (
  approvals: Consent['approvals'],
  audience: string,
  { userId, epoch, scopes: added, choice, at }: DataIn<typeof consentEvents, 'ScopesApproved'>,
): Consent['approvals'] => {
  const before = approvals.get(userId);
  const scopesAt = before?.epoch === epoch ? before.scopesAt : new Map<string, readonly Scope[]>();
  const known = scopesAt.get(audience) ?? [];
  const all = scopes.filter((scope) => known.includes(scope) || added.includes(scope));
  return new Map(approvals).set(userId, {
    epoch,
    choice,
    scopesAt: new Map(scopesAt).set(audience, all),
    at,
  });
};

type Asking = {
  readonly userId: string;
  readonly epoch: number;
  /** The audiences that the scopes are for; our own API by default. */
  readonly audiences?: readonly string[];
};

/** What this user approved in this epoch for each of the audiences; an approval of another epoch is void (S5, DE-05). */
export const rememberedScopes = (
  { approvals }: Pick<Consent, 'approvals'>,
  { userId, epoch, audiences = [ownApi] }: Asking,
): readonly Scope[] => {
  const approval = approvals.get(userId);
  if (approval?.epoch !== epoch) return [];
  return scopes.filter((scope) =>
    audiences.every((audience) => approval.scopesAt.get(audience)?.includes(scope)),
  );
};

/** Among which subjects this user chose when the last approval of this epoch was given; null where that is not known. */
export const rememberedChoice = (
  { approvals }: Pick<Consent, 'approvals'>,
  { userId, epoch }: Pick<Asking, 'userId' | 'epoch'>,
): string | null => {
  const approval = approvals.get(userId);
  return approval?.epoch === epoch ? approval.choice : null;
};

/** All that this user approved in this epoch, for whichever audience, and when last; null where nothing is. */
export const approvalOf = (
  { approvals }: Pick<Consent, 'approvals'>,
  { userId, epoch }: Pick<Asking, 'userId' | 'epoch'>,
): { readonly scopes: readonly Scope[]; readonly at: Instant } | null => {
  const approval = approvals.get(userId);
  if (approval?.epoch !== epoch) return null;
  const all = new Set([...approval.scopesAt.values()].flat());
  return { scopes: scopes.filter((scope) => all.has(scope)), at: approval.at };
};

export const withdrawalsOf = ({ withdrawals }: Consent, userId: string): number =>
  withdrawals.get(userId) ?? 0;

/** Records an approval, for each audience. What is recorded changes nothing, unless there were other subjects to choose from (FX-22). */
export function approveScopes(
  consent: Consent,
  {
    now,
    audiences = [ownApi],
    choice = null,
    ...approval
  }: Asking & {
    readonly addonId: string;
    readonly scopes: readonly Scope[];
    readonly choice?: string | null;
    readonly now: Instant;
  },
): Decision<ConsentEvent> {
  const { userId, epoch } = approval;
  const known = consent.approvals.get(userId);
  // An approval without any scope is recorded too, so that the next authorization need not ask again (AZ-37).
  const isNew = (audience: string) =>
    !isWithin(approval.scopes, rememberedScopes(consent, { userId, epoch, audiences: [audience] })) ||
    known?.epoch !== epoch ||
    (choice !== null && known.choice !== choice) ||
    !known.scopesAt.has(audience);
  return accept<ConsentEvent>(
    ...audiences
      .filter(isNew)
      .map((audience): ConsentEvent =>
        audience === ownApi
          ? { type: 'ScopesApproved', data: { ...approval, choice, at: now } }
          : { type: 'AudienceApproved', data: { ...approval, audience, choice, at: now } },
      ),
  );
}

/** Removes what this user approved. Where nothing is recorded, nothing changes. */
export function withdrawConsent(
  consent: Consent,
  { now, ...whose }: At<'userId' | 'addonId'>,
): Decision<ConsentEvent> {
  if (!consent.approvals.has(whose.userId)) return accept();
  const epoch = withdrawalsOf(consent, whose.userId) + 1;
  return accept({ type: 'ConsentWithdrawn', data: { ...whose, epoch, at: now } });
}
