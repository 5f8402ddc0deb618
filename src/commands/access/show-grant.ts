import type { Instant } from '../../domain/kernel/decision.ts';
import { addonSubject, fenceSubjectsOf, judgeFence } from '../../domain/fence/fence.ts';
import { type Grant, type GrantState, usableUntil } from '../../domain/access/grant.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { grantStream } from '../../domain/streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { StreamUnreadable } from '../../eventstore/event-store.ts';
import { loadGrant } from './load-grant.ts';

export type ShownGrant = {
  readonly grantId: string;
  readonly addonId: string;
  /** The user who approved it. */
  readonly userId: string;
  /** Whose records; null: those of `userId`. */
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  /** `revoked` also where something else than its own stream has ended it, such as a deactivation or a disabling of its user. */
  readonly state: GrantState;
  readonly issuedAt: Instant;
  /**
   * When its newest tokens were issued; null before the first, and for a grant that has ended, whose newest events do
   * not say it.
   */
  readonly lastTokenAt: Instant | null;
};

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'>;

/**
 * The current state of a grant, independent of the read models; null for an unknown one. It reads the newest events of
 * the grant and then the fence, so a revocation is seen as soon as it is answered.
 * @throws StreamUnreadable
 */
export const makeShowGrant =
  (dependencies: Dependencies) =>
  async (grantId: string): Promise<ShownGrant | null> =>
    judged(dependencies, grantId, await grantOf(dependencies, grantId));

/** The same of several, whose fence is asked at once; null also for one that is unreadable. */
export const makeShowGrants =
  (dependencies: Dependencies) =>
  async (grantIds: readonly string[]): Promise<readonly (ShownGrant | null)[]> => {
    const read = (grantId: string) =>
      grantOf(dependencies, grantId).catch((error: unknown) => {
        if (error instanceof StreamUnreadable) return null;
        throw error;
      });
    const grants = await Promise.all(grantIds.map(read));
    return Promise.all(
      grants.map(async (grant, index) => grant && judged(dependencies, grantIds[index] ?? '', grant)),
    );
  };

const none: Grant = { status: 'none' };

const grantOf = async ({ store }: Dependencies, grantId: string): Promise<Grant> =>
  isUlid(grantId) ? (await loadGrant(store, grantStream(grantId))).state : none;

const judged = async (
  { fence, now }: Dependencies,
  grantId: string,
  grant: Grant,
): Promise<ShownGrant | null> => {
  if (grant.status === 'none') return null;
  const { addonId, userId, subject, scopes, at } = grant.terms;
  const guarded = { grantId, addonId, userId, subject };
  const rows = await fence.read(fenceSubjectsOf(guarded));
  // A suspended add-on and a parked event end no grant: both are temporary.
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
    case 'live':
      return now < usableUntil(grant.current) ? 'active' : 'expired';
  }
};
