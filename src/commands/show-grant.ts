import type { Instant } from '../domain/decision.ts';
import { addonSubject, fenceSubjectsOf, judgeFence } from '../domain/fence.ts';
import type { Grant } from '../domain/grant.ts';
import { isUlid } from '../domain/ids.ts';
import type { Scope } from '../domain/scope.ts';
import { grantStream } from '../domain/streams.ts';
import type { CommandDependencies } from './dependencies.ts';
import { loadGrant } from './load-grant.ts';

/** `revoked` also where something else than its own stream has ended it: its add-on was deactivated, its user disabled, or the like. */
export type GrantState = 'active' | 'revoked' | 'expired';

export type ShownGrant = {
  readonly grantId: string;
  readonly addonId: string;
  /** Who allowed it. */
  readonly userId: string;
  /** Whose records; null: those of `userId`. */
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  readonly state: GrantState;
  readonly issuedAt: Instant;
  /** When its newest tokens were issued; null before the first, and where it has ended: its newest events do not say it then. */
  readonly lastTokenAt: Instant | null;
};

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'>;

/**
 * A grant as it is now, whatever the read models know; null for an unknown one. From the newest events of the grant and, read after them,
 * the fence: what has ended it is seen from its answer on.
 * @throws StreamUnreadable
 */
export const makeShowGrant =
  ({ store, fence, now }: Dependencies) =>
  async (grantId: string): Promise<ShownGrant | null> => {
    if (!isUlid(grantId)) return null;
    const { state: grant } = await loadGrant(store, grantStream(grantId));
    if (grant.status === 'none') return null;
    const { addonId, userId, subject, scopes, at } = grant.terms;
    const guarded = { grantId, addonId, userId, subject };
    const rows = await fence.read(fenceSubjectsOf(guarded));
    // An add-on that is suspended, and an event that is parked, end no grant: both are lifted again.
    const ending = rows.filter((row) => row.subject !== addonSubject(addonId) && !row.parked);
    const isClosed = judgeFence(guarded, ending) !== null;
    return {
      grantId,
      addonId,
      userId,
      organizationId: subject.kind === 'organization' ? subject.organizationId : null,
      scopes,
      state: isClosed ? 'revoked' : stateOf(grant, now()),
      issuedAt: at,
      lastTokenAt: grant.status === 'live' ? grant.current.at : null,
    };
  };

const stateOf = (grant: Exclude<Grant, { readonly status: 'none' }>, now: Instant): GrantState => {
  switch (grant.status) {
    case 'revoked':
      return 'revoked';
    case 'code-issued':
      return now < grant.terms.expiresAt ? 'active' : 'expired';
    case 'live': {
      const { refreshIdleExpiresAt, accessExpiresAt } = grant.current;
      const refreshable = Math.min(refreshIdleExpiresAt, grant.absoluteExpiresAt);
      return now < Math.max(refreshable, accessExpiresAt) ? 'active' : 'expired';
    }
  }
};
