import { accept, type Decider, type Decision, type Instant } from './decision.ts';
import { isWithin, type Scope, scopes } from './scope.ts';

/**
 * What a user approved for an add-on, per subject (AC-05). `epoch` is the activation's for an organization and
 * null for a user's own data: an approval of an older epoch counts for nothing (S5).
 */
export type ConsentEvent =
  | {
      readonly type: 'ScopesApproved';
      readonly data: {
        readonly userId: string;
        readonly addonId: string;
        readonly scopes: readonly Scope[];
        readonly epoch: number | null;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'ConsentWithdrawn';
      readonly data: { readonly userId: string; readonly addonId: string; readonly at: Instant };
    };

/** What each user approved last, by user id, within the epoch that it was approved in. */
export type Consent = ReadonlyMap<string, Approval>;
type Approval = { readonly epoch: number | null; readonly scopes: readonly Scope[] };

export const consentDecider: Decider<Consent, ConsentEvent> = {
  initial: new Map(),
  evolve: (consent, event) => {
    const { userId } = event.data;
    switch (event.type) {
      case 'ScopesApproved': {
        const before = rememberedScopes(consent, { userId, epoch: event.data.epoch });
        const approved = scopes.filter(
          (scope) => before.includes(scope) || event.data.scopes.includes(scope),
        );
        return new Map(consent).set(userId, { epoch: event.data.epoch, scopes: approved });
      }
      case 'ConsentWithdrawn':
        return new Map([...consent].filter(([approver]) => approver !== userId));
    }
  },
};

type Asking = { readonly userId: string; readonly epoch: number | null };

/** What this user approved in this epoch; an approval of another epoch counts for nothing (S5, DE-05). */
export const rememberedScopes = (consent: Consent, { userId, epoch }: Asking): readonly Scope[] => {
  const approval = consent.get(userId);
  return approval?.epoch === epoch ? approval.scopes : [];
};

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
  if (!news && consent.get(approved.userId)?.epoch === approved.epoch) return accept();
  return accept({ type: 'ScopesApproved', data: { ...approved, at: now } });
}
